import type { KeyResource, CreateKey, KeyCreated, ProjectResource, Permission } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useMemo, useState } from 'react';
import { ConfirmAction, FormDialog } from '../../features/dialogs.js';
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
import styles from './settings-page.module.css';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { mayGiveScope } from './giving.js';

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
    { id: 'name', header: 'Name', width: 100, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    { id: 'prefix', header: 'Begins with', width: 104, cell: ({ prefix }) => <code>{prefix}</code> },
    {
      id: 'scopes',
      header: 'Scopes',
      width: 110,
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.join(', ')}</span>,
    },
    cellColumn('project', 'Project', 96, ({ project_id: id }) => <bdi title={id}>{projects.get(id) ?? id}</bdi>),
    cellColumn('expires_at', 'Ends', { note: zone, width: 136 }, ({ expires_at: at }) =>
      at === null ? 'Never' : <Time at={at} />,
    ),
    cellColumn('state', 'State', 70, ({ state }) => (
      <span {...(state === 'suspended' && { title: SUSPENDED })}>{state}</span>
    )),
    cellColumn('maker', 'Made by', 110, ({ maker, service_account: isServiceAccount }) => (
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

interface NewKeyDialogProps {
  projects: readonly ProjectResource[];
  onCreated(): void;
  onClose(): void;
}

function NewKeyDialog({ projects, onCreated, onClose }: NewKeyDialogProps) {
  const own = useBrowserSession()?.project?.id;
  const [made, setMade] = useState<KeyCreated | null>(null);
  if (made !== null) return <MadeKey made={made} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      action="Create"
      failed="The key could not be created"
      send={(form) => api.createKey({ body: keyOf(form, Date.now()) as never })}
      onSent={(key) => {
        setMade(key);
        onCreated();
      }}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required hint="Who or what uses it, such as a person or a service." />
      <ScopeFields />
      <SelectField
        label="Project"
        name="project"
        defaultValue={own}
        options={projects.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <SelectField label="Ends" name="ends" options={ENDS} defaultValue="90" />
      <MakerField />
    </FormDialog>
  );
}

function ScopeFields() {
  const session = useBrowserSession();
  const given = SCOPES.filter(({ scope }) => session && mayGiveScope(session, scope));
  return (
    <fieldset>
      <legend>Scopes</legend>
      <div className={styles.scopes}>
        {given.map(({ scope, label, isUsual }) => (
          <CheckboxField
            key={scope}
            label={label}
            name="scopes"
            value={scope}
            defaultChecked={isUsual || given.length === 1}
          />
        ))}
      </div>
      {given.length < SCOPES.length && <p className={styles.hint}>Scopes that you do not have are not listed.</p>}
    </fieldset>
  );
}

/** Whether the key goes on without who makes it: of people alone, whose membership can end. */
function MakerField() {
  if (useBrowserSession()?.kind !== 'person') return null;
  return (
    <>
      <CheckboxField label="For a service: keeps working when I leave" name="service_account" value="yes" />
      <p className={styles.hint}>
        Other keys are valid while you are a member, and never have more permissions than you. Programs that must keep
        working need a key for a service.
      </p>
    </>
  );
}

function keyOf(form: FormData, now: number): CreateKey {
  return {
    name: String(form.get('name')),
    scopes: form.getAll('scopes') as CreateKey['scopes'],
    project_id: String(form.get('project')),
    ...(form.has('service_account') && { service_account: true }),
    expires_at: endAfter(String(form.get('ends')), now) as CreateKey['expires_at'],
  };
}

function MadeKey({ made: { name, key }, onClose }: { made: KeyCreated; onClose(): void }) {
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        <>
          <CopyButton text={key}>Copy key</CopyButton>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <p>
        The key <bdi>{name}</bdi>. Copy it now: it is not shown again.
      </p>
      <p className={styles.secret}>{key}</p>
    </Dialog>
  );
}

const DAY_MS = 86_400_000;

const SCOPES: readonly { scope: Permission; label: string; isUsual: boolean }[] = [
  { scope: 'read', label: 'read: see everything', isUsual: true },
  { scope: 'write', label: 'write: change everything', isUsual: true },
  { scope: 'ingest', label: 'ingest: record, and nothing else', isUsual: false },
  { scope: 'review', label: 'review: claim and submit items', isUsual: false },
  { scope: 'admin', label: 'admin: administer the organization', isUsual: false },
];

const ENDS: readonly { value: string; label: string }[] = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The moment so many days from now, as a timestamp. @returns `null` for never. */
const endAfter = (days: string, now: number): string | null =>
  days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString();
