import styles from './external-mark.module.css';

/** Marks a run that its caller executes: the server keeps and scores what it is sent. */
export function ExternalMark() {
  return <span className={styles.mark}>External</span>;
}
