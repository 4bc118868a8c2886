import type { AuditEntry } from '@spandrel/contract';
import { useMemo } from 'react';
import { listAuditLog } from '../../api/administration.js';
import { zoneName } from '../../components/format/format-time.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { Time } from '../../components/time.js';
import { AdministeredGrid } from './administered-grid.js';
import { Section } from './section.js';
import { AUDIT_LOG, useAdministeredList } from './use-administered-list.js';

/** What was administered, by whom and when. */
export function AuditLogSection() {
  const { list } = useAdministeredList(AUDIT_LOG, listAuditLog);
  const { times } = usePreferences();
  const columns = useMemo(() => columnsOf(zoneName(Date.now(), times)), [times]);
  return (
    <Section title="Audit log">
      <AdministeredGrid label="Audit log" list={list} columns={columns} />
    </Section>
  );
}

const columnsOf = (zone: string): GridColumn<AuditEntry>[] => [
  { id: 'at', header: 'Time', note: zone, width: 136, cell: ({ at }) => <Time at={at} /> },
  { id: 'actor', header: 'By', width: 200, cell: ({ actor }) => <bdi title={actor}>{actor}</bdi> },
  { id: 'action', header: 'Action', width: 120, cell: ({ action }) => action },
  { id: 'target', header: 'What', width: 200, cell: ({ target_id: id }) => <bdi title={id}>{id}</bdi> },
  {
    id: 'details',
    header: 'Details',
    width: 200,
    grows: true,
    cell: ({ details }) => <bdi title={JSON.stringify(details, null, 2)}>{JSON.stringify(details)}</bdi>,
  },
];
