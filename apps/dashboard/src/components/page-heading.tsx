import { useEffect, type ReactNode } from 'react';
import styles from './page-heading.module.css';

/** The one h1 of a page, which is also its title: `Traces · Spandrel`. @param children buttons of the page beside it. */
export function PageHeading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Spandrel`;
  }, [title]);
  return (
    <div className={styles.heading}>
      {/* The focus comes here when the page was opened by something that is gone. */}
      <h1 tabIndex={-1} dir="auto">
        {title}
      </h1>
      {children}
    </div>
  );
}
