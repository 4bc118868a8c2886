import type { KeyResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useMemo, useState } from 'react';
import { ConfirmAction } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { zoneName } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { AdministeredGrid, Section, useProjects } from './section.js';
import { NewKeyDialog } from './new-key-dialog.js';
import styles from './settings-page.module.css';

/** The API keys of the organization: made, shown once, revoked. */
export function KeysSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList<KeyResource>('API keys', 'listKeys');
  const { projects, names } = useProjects(orgId);
  const [opened, setOpened] = useState<'new' | KeyResource | null>(null);
  const { times } = usePreferences();
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
        empty="No keys yet. A key lets a program record, read or change the data of a project."
      />
      {opened === 'new' && <NewKeyDialog projects={projects} onCreated={() => void reread()} onClose={close} />}
      {opened !== null && opened !== 'new' && (
        <RevokeKey revoked={opened} onRevoked={() => void reread()} onClose={close} />
      )}
    </Section>
  );
}

const SUSPENDED =
  'Refused: its creator no longer has a role in the project, or is not confirmed by the identity provider.';

function keyColumns(
  zone: string,
  projects: ReadonlyMap<string, string>,
  onRevoke: (key: KeyResource) => void,
): GridColumn<KeyResource>[] {
  return [
    { id: 'name', header: 'Name', width: 140, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    { id: 'prefix', header: 'Begins with', width: 120, cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'scopes', header: 'Scopes', width: 170, cell: ({ scopes }) => scopes.join(', ') },
    cellColumn('project', 'Project', 140, ({ project_id: id }) => <bdi title={id}>{projects.get(id) ?? id}</bdi>),
    cellColumn('expires_at', 'Ends', { note: zone, width: 136 }, ({ expires_at: at }) =>
      at === null ? 'Never' : <Time at={at} />,
    ),
    cellColumn('state', 'State', 100, ({ state }) => (
      <span {...(state === 'suspended' && { title: SUSPENDED })}>{state}</span>
    )),
    cellColumn('maker', 'Made by', 140, ({ maker, service_account: isServiceAccount }) => (
      <bdi title={maker?.id}>
        {maker === null ? NONE : (maker.name ?? maker.id)}
        {isServiceAccount ? ', for a service' : ''}
      </bdi>
    )),
    cellColumn('last_used_at', 'Last used', { note: zone, width: 136 }, ({ last_used_at: at }) =>
      at === null ? 'Not yet' : <Time at={at} />,
    ),
    { id: 'created_at', header: 'Created', note: zone, width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
    cellColumn('actions', 'Actions', 80, (row) => (
      <Button className={styles.rowButton} aria-label={`Revoke ${row.name}`} onClick={() => onRevoke(row)}>
        Revoke
      </Button>
    )),
  ];
}

function RevokeKey({ revoked, onRevoked, onClose }: { revoked: KeyResource; onRevoked(): void; onClose(): void }) {
  const isOwn = useBrowserSession()?.id === revoked.id;
  return (
    <ConfirmAction
      title="Revoke key?"
      action="Revoke"
      act={() => api.deleteKey({ path: { id: revoked.id } })}
      onDone={onRevoked}
      done={`Revoked the key ${revoked.name}`}
      failed="The key could not be revoked"
      onClose={onClose}
    >
      <p>
        Requests with the key <bdi>{revoked.name}</bdi> are refused within a second. Event streams that it opened end,
        and browsers that signed in with it are signed out. A revoked key cannot be restored.
      </p>
      {isOwn && <p>This browser is signed in with it.</p>}
    </ConfirmAction>
  );
}
