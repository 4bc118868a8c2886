import type { ReactNode } from 'react';
import { MayReview, MayWrite } from '../../components/button.js';
import { useShortcutKeys } from '../../components/shortcuts/use-shortcuts.js';
import { TracePage } from './trace-page.js';
import styles from './trace-page.module.css';

/** `/s/:token`: the trace that a link opens, to be read alone, without what is around other pages. */
export const SharedTracePage = () => (
  <ReadOnlyPage notice="Shared trace, read-only">
    <TracePage />
  </ReadOnlyPage>
);

/** A page that stands alone and changes nothing. @param props.notice what it is. */
export function ReadOnlyPage({ notice, children }: { notice: ReactNode; children: ReactNode }) {
  useShortcutKeys();
  return (
    <MayWrite value={false}>
      <MayReview value={false}>
        <main id="content" tabIndex={-1} className={styles.shared}>
          <p>{notice}</p>
          {children}
        </main>
      </MayReview>
    </MayWrite>
  );
}
