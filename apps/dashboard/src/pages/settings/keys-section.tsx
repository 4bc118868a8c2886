import type { KeyResource } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { listKeys, listProjects } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { AdministeredGrid } from './administered-grid.js';
import { keyColumns } from './key-columns.js';
import { NewKeyDialog } from './new-key-dialog.js';
import { RevokeKey } from './revoke-key.js';
import { Section } from './section.js';
import { useAdministeredList } from './use-administered-list.js';

/** The API keys of the organization: made, shown once, revoked. */
export function KeysSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList('API keys', listKeys);
  const { list: projects } = useAdministeredList('projects', (cursor, signal) => listProjects(orgId, cursor, signal));
  const [opened, setOpened] = useState<'new' | KeyResource | null>(null);
  const { times } = usePreferences();
  const names = useMemo(() => new Map(projects.readRows.map(({ id, name }) => [id, name])), [projects.readRows]);
  const columns = useMemo(() => keyColumns(zoneName(Date.now(), times), names, setOpened), [times, names]);
  const close = (): void => setOpened(null);
  return (
    <Section
      title="API keys"
      actions={
        <Button icon="plus" onClick={() => setOpened('new')}>
          New key
        </Button>
      }
    >
      <AdministeredGrid
        label="API keys"
        list={list}
        columns={columns}
        empty="No keys yet. A key lets a program record, read or change what is in one project."
      />
      {opened === 'new' && (
        <NewKeyDialog projects={projects.readRows} onCreated={() => void reread()} onClose={close} />
      )}
      {opened !== null && opened !== 'new' && (
        <RevokeKey revoked={opened} onRevoked={() => void reread()} onClose={close} />
      )}
    </Section>
  );
}
