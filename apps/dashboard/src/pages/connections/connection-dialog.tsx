import type { ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useRef, useState, type FormEvent } from 'react';
import { formatCounted } from '@spandrel/contract/browser';
import { ApiError } from '../../api/api-error.js';
import type { Capabilities } from '../../api/capabilities.js';
import { createConnection, updateConnection } from '../../api/connections.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/page-parts.js';
import { SelectField, TextField } from '../../components/field.js';
import { changeOf, creationOf, fieldsOf, keyRule, type ConnectionFields } from './connection-fields.js';
import { formatDuration } from '../../components/format.js';
import styles from './connection-dialog.module.css';

interface ConnectionDialogProps {
  /** The connection that is changed; `null` for a new one. */
  connection: ConnectionResource | null;
  providers: Capabilities['providers'];
  /** @param isTested whether it is to be tested now. */
  onSaved(saved: ConnectionResource, isTested: boolean): void;
  onClose(): void;
}

/** Makes a connection or changes one, by fields that fit its provider. */
export function ConnectionDialog({ connection, providers, onSaved, onClose }: ConnectionDialogProps) {
  const formId = useId();
  // React writes the value of a field that it controls into an attribute, where a key has no business.
  const key = useRef<HTMLInputElement>(null);
  const [fields, setFields] = useState(() => fieldsOf(connection, providers));
  const provider = providers.find(({ name }) => name === fields.provider);
  const saving = useMutation({
    mutationFn: (_isTested: boolean) => save(connection, fields, key.current?.value ?? ''),
    onSuccess: (saved, isTested) => onSaved(saved, isTested),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const pressed = (event.nativeEvent as SubmitEvent).submitter;
    if (!saving.isPending) saving.mutate(pressed?.dataset['tests'] === 'true');
  };
  const set = (member: keyof ConnectionFields) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setFields((before) => ({ ...before, [member]: value }));
  };
  const rule = keyRule(connection, fields, provider);
  const faults = faultsOf(saving.error);
  const text = (member: keyof ConnectionFields, wire: string) => ({
    ...{ value: fields[member], onChange: set(member), fault: faults.get(wire) },
  });
  return (
    <Dialog
      title={connection === null ? 'New connection' : `Edit ${connection.name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} data-tests="true" disabled={saving.isPending}>
            Save and test
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" required {...text('name', 'name')} />
        <SelectField label="Provider" options={offered(providers, fields.provider)} {...text('provider', 'provider')} />
        <TextField
          label="API key"
          type="password"
          autoComplete="new-password"
          ref={key}
          required={rule.isRequired}
          {...(rule.hint !== null && { hint: rule.hint })}
          fault={faults.get('api_key')}
        />
        <TextField
          label="Base URL"
          type="url"
          required={provider?.needs_base_url === true}
          placeholder={provider?.default_base_url ?? ''}
          hint={baseHint(provider)}
          {...text('baseUrl', 'base_url')}
        />
        <TextField
          label="Default model"
          hint="For evaluations that name no model."
          {...text('defaultModel', 'default_model')}
        />
        {saving.error && faults.size === 0 && (
          <FaultNotice title="The connection could not be saved" error={saving.error} />
        )}
      </form>
    </Dialog>
  );
}

function save(before: ConnectionResource | null, fields: ConnectionFields, key: string): Promise<ConnectionResource> {
  return before === null
    ? createConnection(creationOf(fields, key))
    : updateConnection(before.id, changeOf(before, fields, key));
}

/** The providers that can be chosen; one that a stored connection has and the instance no longer knows stays. */
function offered(providers: Capabilities['providers'], chosen: string) {
  const names = providers.map(({ name }) => name);
  const all = names.includes(chosen) || chosen === '' ? names : [...names, chosen];
  return all.map((name) => ({ value: name, label: name }));
}

function baseHint(provider: Capabilities['providers'][number] | undefined): string {
  if (provider?.needs_base_url) return 'Where the server is, up to the path of a call: https://models.example.com/v1';
  const base = provider?.default_base_url ?? null;
  return base === null ? 'Leave it empty for the default.' : `Leave it empty for ${base}`;
}

/** What the server says is wrong, by members of the body. */
function faultsOf(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.errors.map(({ path, message }) => [path, message]));
}

/** A test of a connection that is under way, or what came of it. */
export interface ShownTest {
  connection: ConnectionResource;
  result: ConnectionTestResult | null;
}

/** What came of the latest test of a connection, with the models that it reaches. */
export function ConnectionTest({ test }: { test: ShownTest | null }) {
  const models = test?.result?.models ?? [];
  return (
    <section
      aria-label={test === null ? 'Test' : `Test of ${test.connection.name}`}
      className={test === null ? undefined : styles.test}
    >
      {test !== null && <h2>Test of {test.connection.name}</h2>}
      {/* It is there before it says anything, else what it says first is not read out. */}
      <p role="status" aria-label="Test result">
        {test === null ? '' : describeTest(test.result)}
      </p>
      {models.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keys
        <ul aria-label="Models" className={styles.models} tabIndex={0}>
          {models.map((model) => (
            <li key={model}>{model}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** `Reached in 12 ms · 3 models`, or why it was not. */
function describeTest(result: ConnectionTestResult | null): string {
  if (result === null) return 'Testing …';
  if (!result.ok) return `Failed: ${result.error ?? 'the provider gave no reason'}`;
  return `Reached in ${formatDuration(result.latency_ms)} · ${formatCounted(result.models?.length ?? 0, 'model')}`;
}
