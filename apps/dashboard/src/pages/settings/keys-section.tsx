import type { KeyResource } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import { NONE } from '@spandrel/contract/browser';
import { useMutation } from '@tanstack/react-query';
import { listKeys, listProjects, deleteKey } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { zoneName } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { AdministeredGrid, Section, useAdministeredList } from './section.js';
import { NewKeyDialog } from './new-key-dialog.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { notify, notifyError } from '../../components/notify.js';
import { useBrowserSession } from '../../features/browser-session.js';
import styles from './settings-page.module.css';

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

/** Why a key is refused though it has not ended. */
const SUSPENDED =
  'Refused: who made it has no role in its project any more, or the identity provider does not confirm them.';

/**
 * Every column of the list of keys.
 * @param zone zone of the times, shown in the headers.
 * @param projects names of projects by their ids.
 */
function keyColumns(
  zone: string,
  projects: ReadonlyMap<string, string>,
  onRevoke: (key: KeyResource) => void,
): GridColumn<KeyResource>[] {
  return [
    { id: 'name', header: 'Name', width: 140, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    { id: 'prefix', header: 'Begins with', width: 120, cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'scopes', header: 'Scopes', width: 170, cell: ({ scopes }) => scopes.join(', ') },
    {
      id: 'project',
      header: 'Project',
      width: 140,
      cell: ({ project_id: id }) => <bdi title={id}>{projects.get(id) ?? id}</bdi>,
    },
    {
      id: 'expires_at',
      header: 'Ends',
      note: zone,
      width: 136,
      cell: ({ expires_at: at }) => (at === null ? 'Never' : <Time at={at} />),
    },
    {
      id: 'state',
      header: 'State',
      width: 100,
      cell: ({ state }) => <span {...(state === 'suspended' && { title: SUSPENDED })}>{state}</span>,
    },
    {
      id: 'maker',
      header: 'Made by',
      width: 140,
      cell: ({ maker, service_account: isServiceAccount }) => (
        <bdi title={maker?.id}>
          {maker === null ? NONE : (maker.name ?? maker.id)}
          {isServiceAccount ? ', for a service' : ''}
        </bdi>
      ),
    },
    {
      id: 'last_used_at',
      header: 'Last used',
      note: zone,
      width: 136,
      cell: ({ last_used_at: at }) => (at === null ? 'Not yet' : <Time at={at} />),
    },
    { id: 'created_at', header: 'Created', note: zone, width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 80,
      cell: (row) => (
        <Button className={styles.rowButton} aria-label={`Revoke ${row.name}`} onClick={() => onRevoke(row)}>
          Revoke
        </Button>
      ),
    },
  ];
}

interface RevokeKeyProps {
  revoked: KeyResource;
  onRevoked(): void;
  onClose(): void;
}

/** Asks whether a key shall be revoked, and revokes it. */
function RevokeKey({ revoked, onRevoked, onClose }: RevokeKeyProps) {
  const isOwn = useBrowserSession()?.id === revoked.id;
  const revocation = useMutation({
    mutationFn: () => deleteKey(revoked.id),
    onSuccess: () => {
      onClose();
      onRevoked();
      notify(`Revoked the key ${revoked.name}`);
    },
    onError: (error) => {
      onClose();
      notifyError('The key could not be revoked', error);
    },
  });
  return (
    <ConfirmDialog
      title="Revoke key?"
      action="Revoke"
      isBusy={revocation.isPending}
      onConfirm={() => revocation.mutate()}
      onClose={onClose}
    >
      <p>
        Within a second nothing takes the key <bdi>{revoked.name}</bdi> any more, event streams opened with it end, and
        browsers that signed in with it are signed out. A revoked key cannot be had back.
      </p>
      {isOwn && <p>This browser is signed in with it.</p>}
    </ConfirmDialog>
  );
}
