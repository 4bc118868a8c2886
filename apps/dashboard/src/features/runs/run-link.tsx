import { Link } from '@tanstack/react-router';
import styles from '../trace-link.module.css';

/** The address of a run. */
export const runAddress = (id: string): string => `/evaluations/${encodeURIComponent(id)}`;

/** The name of a run as the link to it. */
export function RunLink({ run }: { run: { id: string; name: string } }) {
  return (
    <Link to={runAddress(run.id)} className={styles.link} dir="auto">
      {run.name}
    </Link>
  );
}
