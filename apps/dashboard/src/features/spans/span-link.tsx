import { Link } from '@tanstack/react-router';
import { traceAddress } from '../trace-link.js';
import styles from '../trace-link.module.css';

/** What of a span its link says. */
export interface NamedSpan {
  id: string;
  trace_id: string;
  name: string;
}

/** What a span is called; a name may be empty. */
export const nameOfSpan = ({ name }: Pick<NamedSpan, 'name'>): string => (name === '' ? 'Untitled span' : name);

/** The name of a span as the link to it within its trace. */
export function SpanLink({ span }: { span: NamedSpan }) {
  return (
    <Link to={traceAddress(span.trace_id)} search={{ span: span.id } as never} className={styles.link} dir="auto">
      {nameOfSpan(span)}
    </Link>
  );
}
