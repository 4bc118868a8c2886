import styles from './run-error.module.css';

/** Why a run, a result or a call failed, as the service says it. */
export function RunError({ children }: { children: string }) {
  return (
    <div role="group" aria-label="Error" className={styles.error} dir="auto">
      {children}
    </div>
  );
}
