import { AUDIT_ACTIONS } from '@spandrel/contract/browser';
import { SelectField } from '../../components/field.js';
import { EnteredFilter } from '../../features/filters/entered-filter.js';
import { TimeRangeField } from '../../features/time-range/time-range-field.js';
import { endsOf, type TimeRange } from '../../features/time-range/time-range.js';
import type { Query } from '../../api/query-text.js';
import { describeAction } from './audit-words.js';
import styles from './settings-page.module.css';

/** What of the audit log is wanted; empty texts stand for everything. */
export interface AuditSearch {
  actor: string;
  action: string;
  target: string;
  range: TimeRange;
}

export const EVERYTHING: AuditSearch = { actor: '', action: '', target: '', range: {} };

/** What the API is asked for. @param now milliseconds, where ranges that go with the clock end. */
export const auditQuery = ({ actor, action, target, range }: AuditSearch, now: number): Query => ({
  actor: actor.trim() || null,
  action: action || null,
  target: target.trim() || null,
  ...endsOf(range, now),
});

const ACTIONS = [
  { value: '', label: 'Every action' },
  ...AUDIT_ACTIONS.map((action) => ({ value: action, label: describeAction(action) })).toSorted((a, b) =>
    a.label.localeCompare(b.label),
  ),
];

interface AuditFiltersProps {
  search: AuditSearch;
  onChange(search: AuditSearch): void;
}

/** The filters of the audit log. Actors and targets are asked for by their ids, which an opened entry shows and fills in. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const { actor, action, target, range } = search;
  return (
    <div className={styles.filters}>
      <SelectField
        label="Action"
        options={ACTIONS}
        value={action}
        onChange={(event) => onChange({ ...search, action: event.target.value })}
      />
      <EnteredFilter label="By (id)" value={actor} onChange={(text) => onChange({ ...search, actor: text })} />
      <EnteredFilter label="What (id)" value={target} onChange={(text) => onChange({ ...search, target: text })} />
      <TimeRangeField value={range} onChange={(chosen) => onChange({ ...search, range: chosen })} />
    </div>
  );
}
