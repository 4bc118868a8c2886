import type { AuditEntry } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { AUDIT_EXPORT_ADDRESS, listAuditLog, listProjects } from '../../api/administration.js';
import { queryText } from '../../api/query-text.js';
import { Button } from '../../components/button.js';
import { followDownload } from '../../components/download-text.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { AdministeredGrid } from './administered-grid.js';
import { AuditEntryDialog } from './audit-entry.js';
import { auditColumns } from './audit-columns.js';
import { AuditFilters, auditQuery, EVERYTHING } from './audit-filters.js';
import { Section } from './section.js';
import { AUDIT_LOG, useAdministeredList } from './use-administered-list.js';
import styles from './settings-page.module.css';

/** Who did what and when, by filters, to be taken along as a file. */
export function AuditLogSection({ orgId }: { orgId: string }) {
  const [search, setSearch] = useState(EVERYTHING);
  const [opened, setOpened] = useState<AuditEntry | null>(null);
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
  const columns = useMemo(() => auditColumns(times, names), [times, names]);
  const download = (): void =>
    followDownload(AUDIT_EXPORT_ADDRESS + queryText(auditQuery(search, Date.now())), 'spandrel-audit.jsonl');
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
  if (!isFiltered) return 'Nothing yet. Sign-ins, changes of settings and deletions will be here.';
  return (
    <span className={styles.buttons}>
      No entry meets these filters. <Button onClick={onClear}>Clear filters</Button>
    </span>
  );
}
