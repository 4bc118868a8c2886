import styles from './trace-page.module.css';

/** What the marks of the timeline mean. */
export function TimelineLegend() {
  return (
    <ul aria-label="Marks of the timeline" className={styles.legend}>
      <li>
        <span className={styles.markOwn} aria-hidden="true" /> own time
      </li>
      <li>
        <span className={styles.markChildren} aria-hidden="true" /> children
      </li>
      <li>
        <span className={styles.markCritical} aria-hidden="true" /> critical path
      </li>
      <li>
        <span className={styles.markGap} aria-hidden="true" /> nothing ran
      </li>
    </ul>
  );
}
