import type { AuditEntry } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { AUDIT_EXPORT_ADDRESS, listAuditLog, listProjects } from '../../api/administration.js';
import { queryText } from '../../api/query-text.js';
import { Button } from '../../components/button.js';
import { followDownload } from '../../components/download-text.js';
import { zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { AdministeredGrid } from './administered-grid.js';
import { auditColumns } from './audit-columns.js';
import { AuditFilters, auditQuery, EVERYTHING } from './audit-filters.js';
import { Section } from './section.js';
import { AUDIT_LOG, useAdministeredList } from './use-administered-list.js';

/** Who did what and when, by filters, to be taken along as a file. */
export function AuditLogSection({ orgId }: { orgId: string }) {
  const [search, setSearch] = useState(EVERYTHING);
  const { list } = useFilteredList<AuditEntry>({
    name: AUDIT_LOG,
    filters: search,
    queryAt: (now) => auditQuery(search, now),
    fetch: listAuditLog,
    idOf: ({ id }) => id,
  });
  const { list: projects } = useAdministeredList('projects', (cursor, signal) => listProjects(orgId, cursor, signal));
  const { times } = usePreferences();
  const names = useMemo(() => new Map(projects.readRows.map(({ id, name }) => [id, name])), [projects.readRows]);
  const columns = useMemo(() => auditColumns(zoneName(Date.now(), times), names), [times, names]);
  const download = (): void =>
    followDownload(AUDIT_EXPORT_ADDRESS + queryText(auditQuery(search, Date.now())), 'spandrel-audit.jsonl');
  return (
    <Section title="Audit log" actions={<Button onClick={download}>Download</Button>}>
      <AuditFilters search={search} onChange={setSearch} />
      <AdministeredGrid label="Audit log" list={list} columns={columns} />
    </Section>
  );
}
