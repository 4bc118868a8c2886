import { AUDIT_ACTIONS, NONE } from '@spandrel/contract/browser';
import type { AuditEntry } from '@spandrel/contract';
import { withQuery } from '@spandrel/sdk/api';
import { useMemo, useState } from 'react';
import { BASE } from '../../api/project-base.js';
import { endsOf, type TimeRange } from '../../features/filters/time-range.js';
import type { Query } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { followDownload } from '../../components/save-text.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useFilteredList, AUDIT_LOG } from '../../features/list/use-paged-list.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { zoneName, formatTimeExactly, type Zone } from '../../components/format.js';
import { Time } from '../../components/time.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { SelectField } from '../../components/field.js';
import { SearchFilter } from '../../features/filters/search-filter.js';
import { TimeRangeField } from '../../features/filters/filter-bar.js';
import { AdministeredGrid, Section, Row, useProjects } from './section.js';
import { describeAction, describeActor, describeDetails, describeTarget, type ProjectNames } from './audit-words.js';
import styles from './settings-page.module.css';

/** Who did what and when, by filters, to be taken along as a file. */
export function AuditLogSection({ orgId }: { orgId: string }) {
  const [search, setSearch] = useState(EVERYTHING);
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const { list } = useFilteredList<AuditEntry>({
    name: AUDIT_LOG,
    filters: search,
    queryAt: (now) => auditQuery(search, now),
    operation: 'listAuditLog',
    idOf: ({ id }) => id,
  });
  const { names } = useProjects(orgId);
  const { times } = usePreferences();
  const columns = useMemo(() => auditColumns(times, names), [times, names]);
  const download = (): void =>
    followDownload(withQuery(`${BASE}/api/audit-log/export`, auditQuery(search, Date.now())), 'spandrel-audit.jsonl');
  return (
    <Section title="Audit log" actions={<Button onClick={download}>Download</Button>}>
      <AuditFilters search={search} onChange={setSearch} />
      <AdministeredGrid
        label="Audit log"
        list={list}
        columns={columns}
        onOpen={setOpened}
        empty={<NoEntries isFiltered={search !== EVERYTHING} onClear={() => setSearch(EVERYTHING)} />}
      />
      {opened && (
        <AuditEntryDialog
          entry={opened}
          projects={names}
          onFilter={(filter) => {
            setOpened(null);
            setSearch({ ...EVERYTHING, ...filter });
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </Section>
  );
}

function NoEntries({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) return 'No entries yet. Sign-ins, changed settings and deletions appear here.';
  return (
    <span className={styles.buttons}>
      No entries match these filters. <Button onClick={onClear}>Clear filters</Button>
    </span>
  );
}

const auditColumns = (zone: Zone, projects: ProjectNames): GridColumn<AuditEntry>[] => [
  { id: 'at', header: 'Time', note: zoneName(Date.now(), zone), width: 136, cell: ({ at }) => <Time at={at} /> },
  cellColumn('actor', 'By', 160, (entry) => <bdi>{describeActor(entry)}</bdi>),
  cellColumn('action', 'Action', 180, ({ action }) => describeAction(action)),
  cellColumn('target', 'What', 160, (entry) => <bdi>{describeTarget(entry, projects)}</bdi>),
  cellColumn('details', 'Details', { width: 220, grows: true }, ({ details }) => (
    <bdi>{describeDetails(details, projects, zone)}</bdi>
  )),
  cellColumn('address', 'From', 120, ({ address }) => address ?? NONE),
];

interface AuditEntryDialogProps {
  entry: AuditEntry;
  projects: ProjectNames;
  /** Narrows the log down to what the entry shares with others. */
  onFilter(filter: Partial<AuditSearch>): void;
  onClose(): void;
}

function AuditEntryDialog({ entry, projects, onFilter, onClose }: AuditEntryDialogProps) {
  const { times } = usePreferences();
  const project = entry.project_id === null ? null : (projects.get(entry.project_id) ?? entry.project_id);
  return (
    <Dialog
      title={describeAction(entry.action)}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={JSON.stringify(entry, null, 2)}>Copy as JSON</CopyButton>
          <Button onClick={() => onFilter({ actor: entry.actor })}>All by this actor</Button>
          <Button onClick={() => onFilter({ target: entry.target_id })}>All about this target</Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Row name="Time">
          <time dateTime={entry.at}>{formatTimeExactly(Date.parse(entry.at), times)}</time>
        </Row>
        <Row name="By">
          <Named name={describeActor(entry)} id={entry.actor} />
        </Row>
        <Row name="What">
          <Named name={describeTarget(entry, projects)} id={entry.target_id} />
        </Row>
        <Row name="Project">
          <bdi>{project ?? NONE}</bdi>
        </Row>
        <Row name="Details">
          <bdi>{describeDetails(entry.details, projects, times) || NONE}</bdi>
        </Row>
        <Row name="From">{entry.address ?? NONE}</Row>
        <Row name="Request">{entry.request_id ?? NONE}</Row>
        <Row name="Entry">
          <code>{entry.action}</code> {entry.id}
        </Row>
      </div>
    </Dialog>
  );
}

function Named({ name, id }: { name: string; id: string }) {
  return (
    <>
      <bdi>{name}</bdi> {name !== id && <code>{id}</code>}
    </>
  );
}

interface AuditSearch {
  actor: string;
  action: string;
  target: string;
  range: TimeRange;
}

const EVERYTHING: AuditSearch = { actor: '', action: '', target: '', range: {} };

/** What the API is asked for. @param now milliseconds, where ranges that go with the clock end. */
const auditQuery = ({ actor, action, target, range }: AuditSearch, now: number): Query => ({
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

function AuditFilters({ search, onChange }: { search: AuditSearch; onChange(search: AuditSearch): void }) {
  const { actor, action, target, range } = search;
  return (
    <div className="row fields">
      <SelectField
        label="Action"
        options={ACTIONS}
        value={action}
        onChange={(event) => onChange({ ...search, action: event.target.value })}
      />
      <SearchFilter isEntered label="By (ID)" value={actor} onChange={(text) => onChange({ ...search, actor: text })} />
      <SearchFilter
        isEntered
        label="Target ID"
        value={target}
        onChange={(text) => onChange({ ...search, target: text })}
      />
      <TimeRangeField value={range} onChange={(chosen) => onChange({ ...search, range: chosen })} />
    </div>
  );
}
