import { Link } from '@tanstack/react-router';
import { nameOfTrace, traceAddress } from './addresses.js';
import styles from './trace-link.module.css';

/** A name as the link to what it names. @param search selects a part of it. */
export function NameLink({ to, search, children }: { to: string; search?: object; children: string }) {
  return (
    <Link to={to} {...(search !== undefined && { search: search as never })} className={styles.link} dir="auto">
      {children}
    </Link>
  );
}

export const TraceLink = ({ trace }: { trace: { id: string; name: string | null } }) => (
  <NameLink to={traceAddress(trace.id)}>{nameOfTrace(trace)}</NameLink>
);
