import { useCapabilities } from '../payload/use-capabilities.js';
import styles from './paused-notice.module.css';

/** Says that this server works on no runs, so that nobody waits for one; nothing where it does. */
export function PausedNotice() {
  if (!useCapabilities()?.evals_paused) return null;
  return (
    <p role="status" className={styles.notice}>
      Evaluations are paused on this server (evals.paused): runs wait, and none goes on.
    </p>
  );
}
