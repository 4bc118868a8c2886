import { Link } from '@tanstack/react-router';
import styles from './fact-list.module.css';

/** A fact of a span, a trace or a session: its name, its value, and the value with every digit where that is longer. */
export interface Fact {
  name: string;
  value: string;
  exact?: string;
  /** Address of the page about it. */
  to?: string;
}

/** Names and values, one beside the other. */
export function FactList({ label, facts }: { label: string; facts: readonly Fact[] }) {
  return (
    <ul aria-label={label} className={styles.facts}>
      {facts.map(({ name, value, exact, to }) => (
        <li key={name} className={styles.fact}>
          <span className={styles.name}>{name}</span>{' '}
          <span className={styles.value} {...(exact !== undefined && exact !== value && { title: exact })} dir="auto">
            {to === undefined ? value : <Link to={to}>{value}</Link>}
          </span>
        </li>
      ))}
    </ul>
  );
}
