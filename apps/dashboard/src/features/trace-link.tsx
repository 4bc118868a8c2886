import { Link } from '@tanstack/react-router';
import styles from './trace-link.module.css';

/** What of a trace its link says. */
export interface NamedTrace {
  id: string;
  name: string | null;
}

/** What a trace is called; many have no name. */
export function nameOfTrace({ name }: Pick<NamedTrace, 'name'>): string {
  return name === null || name === '' ? 'Untitled trace' : name;
}

/** The address of a trace. Ids are chosen by clients and may hold anything. */
export function traceAddress(id: string): string {
  return `/traces/${encodeURIComponent(id)}`;
}

/** The name of a trace as the link to it. */
export function TraceLink({ trace }: { trace: NamedTrace }) {
  return (
    <Link to={traceAddress(trace.id)} className={styles.link} dir="auto">
      {nameOfTrace(trace)}
    </Link>
  );
}
