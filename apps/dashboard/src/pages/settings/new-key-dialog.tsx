import type { CreateKey, KeyCreated, ProjectResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, type FormEvent } from 'react';
import { createKey } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { mayGiveScope } from './giving.js';
import { ENDS, endAfter, SCOPES, USUAL_END } from './key-choices.js';
import styles from './settings-page.module.css';

export interface NewKeyDialogProps {
  projects: readonly ProjectResource[];
  onCreated(): void;
  onClose(): void;
}

/** Makes an API key, and shows it this once. */
export function NewKeyDialog({ projects, onCreated, onClose }: NewKeyDialogProps) {
  const formId = useId();
  const creation = useMutation({ mutationFn: createKey, onSuccess: onCreated });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!creation.isPending) creation.mutate(keyOf(new FormData(event.currentTarget), Date.now()));
  };
  if (creation.data) return <MadeKey made={creation.data} onClose={onClose} />;
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={creation.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" name="name" required hint="Who or what has it, such as a person or a service." />
        <ScopeFields />
        <ProjectField projects={projects} />
        <SelectField label="Ends" name="ends" options={ENDS} defaultValue={USUAL_END} />
        <MakerField />
        {creation.error && <FaultNotice title="The key could not be made" error={creation.error} />}
      </form>
    </Dialog>
  );
}

/** The scopes that may be given: those that one has. */
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
      {given.length < SCOPES.length && (
        <p className={styles.hint}>A scope that you do not have is not yours to give, and is left out.</p>
      )}
    </fieldset>
  );
}

/** Whether the key goes on without who makes it: of people alone, whose membership can end. */
function MakerField() {
  if (useBrowserSession()?.kind !== 'person') return null;
  return (
    <>
      <CheckboxField label="For a service: it goes on when I leave" name="service_account" value="yes" />
      <p className={styles.hint}>
        Other keys are valid while you are a member, and may no more than you may. Programs that must go on need one of
        a service.
      </p>
    </>
  );
}

/** The project that the key opens; the one of the session at first. */
function ProjectField({ projects }: { projects: readonly ProjectResource[] }) {
  const own = useBrowserSession()?.project?.id;
  return (
    <SelectField
      label="Project"
      name="project"
      defaultValue={own}
      options={projects.map(({ id, name }) => ({ value: id, label: name }))}
    />
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
        The key <bdi>{name}</bdi>. It is shown this once: copy it now.
      </p>
      <p className={styles.secret}>{key}</p>
    </Dialog>
  );
}
