import { MayReview, MayWrite } from '../../components/button.js';
import { useShortcutKeys } from '../../components/shortcuts/use-shortcuts.js';
import { TracePage } from './trace-page.js';
import styles from './trace-page.module.css';

/** `/s/:token`: the trace that a link opens, to be read alone, without what is around other pages. */
export function SharedTracePage() {
  useShortcutKeys();
  return (
    <MayWrite value={false}>
      <MayReview value={false}>
        <main id="content" tabIndex={-1} className={styles.shared}>
          <p>Shared trace, read-only</p>
          <TracePage />
        </main>
      </MayReview>
    </MayWrite>
  );
}
