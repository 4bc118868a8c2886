import { Link } from '@tanstack/react-router';
import { formatId } from '../components/format/format-id.js';
import styles from './trace-link.module.css';

/** The address of a session. Ids are chosen by clients and may hold anything. */
export function sessionAddress(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}

/** The id of a session as the link to it. */
export function SessionLink({ id }: { id: string }) {
  return (
    <Link to={sessionAddress(id)} className={styles.link} dir="auto">
      {formatId(id)}
    </Link>
  );
}
