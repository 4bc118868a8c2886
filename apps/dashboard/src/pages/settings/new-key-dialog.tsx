import type { CreateKey, KeyCreated, ProjectResource, Permission } from '@spandrel/contract';
import { useState } from 'react';
import { FormDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { mayGiveScope } from './giving.js';
import styles from './settings-page.module.css';

interface NewKeyDialogProps {
  projects: readonly ProjectResource[];
  onCreated(): void;
  onClose(): void;
}

/** Creates an API key, and shows it this once. */
export function NewKeyDialog({ projects, onCreated, onClose }: NewKeyDialogProps) {
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
