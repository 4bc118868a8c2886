import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import styles from './row-region.module.css';

interface RowRegionProps {
  /** Name of the region: `Result`. */
  title: string;
  /** Id of the row that is shown. */
  shown: string;
  onClose(): void;
  /** What stands beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** All of one row, below its list. Who opens it from the row has the focus here, and again on the row afterwards. */
export function RowRegion({ title, shown, onClose, actions, children }: RowRegionProps) {
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    // Somebody who follows a link to the result begins at the top of the page.
    if (document.activeElement?.closest('[role=row]')) region.current?.focus();
  }, [shown]);
  const close = (): void => {
    onClose();
    document.querySelector<HTMLElement>('[role=grid] [role=row][tabindex="0"]')?.focus();
  };
  useShortcuts([{ keys: 'Escape', label: `Close ${title.toLowerCase()}`, group: title, run: close }]);
  return (
    <section ref={region} aria-label={title} tabIndex={-1} className={styles.region}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {actions}
        <Button variant="quiet" icon="close" iconOnly onClick={close}>
          Close {title.toLowerCase()}
        </Button>
      </div>
      {children}
    </section>
  );
}
