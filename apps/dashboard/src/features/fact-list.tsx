import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import styles from './fact-list.module.css';

interface FactValue {
  value: string;
  /** Address of the page about it, and its search parameters. */
  to?: string | undefined;
  search?: Readonly<Record<string, string>> | undefined;
}

/** A fact of a span, a trace or a session: its name, its value, and the value with every digit where that is longer. */
export interface Fact extends FactValue {
  name: string;
  exact?: string;
  /** Several values, each with its own link, in place of one. */
  links?: readonly FactValue[];
}

/** Names and values, one beside the other. */
export function FactList({ label, facts }: { label: string; facts: readonly Fact[] }) {
  return (
    <ul aria-label={label} className={styles.facts}>
      {facts.map(({ name, value, exact, to, search, links }, at) => (
        // Names of metadata may be those of other facts.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${name} ${at}`} className={styles.fact}>
          <span className="quiet">{name}</span>{' '}
          <span {...(exact !== undefined && exact !== value && { title: exact })} dir="auto">
            {(links ?? [{ value, to, search }]).map((one, place) => (
              <Fragment key={one.value}>
                {place > 0 && ', '}
                <FactText {...one} />
              </Fragment>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

function FactText({ value, to, search }: FactValue) {
  if (to === undefined) return value;
  return (
    <Link to={to} {...(search && { search: search as never })}>
      {value}
    </Link>
  );
}
