import type { CapabilitiesResource, ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useRef, useState } from 'react';
import { FormDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { formatDuration } from '../../components/format.js';
import { changeOf, creationOf, fieldsOf, keyRule, type ConnectionFields } from './connection-fields.js';
import styles from './connection-dialog.module.css';

interface ConnectionDialogProps {
  connection: ConnectionResource | null;
  providers: CapabilitiesResource['providers'];
  /** @param isTested whether it is to be tested now. */
  onSaved(saved: ConnectionResource, isTested: boolean): void;
  onClose(): void;
}

/** Makes a connection or changes one, by fields that fit its provider. */
export function ConnectionDialog({ connection, providers, onSaved, onClose }: ConnectionDialogProps) {
  // React writes the value of a field that it controls into an attribute, where a key has no business.
  const key = useRef<HTMLInputElement>(null);
  const [fields, setFields] = useState(() => fieldsOf(connection, providers));
  const provider = providers.find(({ name }) => name === fields.provider);
  const rule = keyRule(connection, fields, provider);
  const bind = (member: keyof ConnectionFields) => ({
    value: fields[member],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setFields((before) => ({ ...before, [member]: value })),
  });
  const send = async (_form: FormData, pressed: HTMLElement | null) => ({
    saved: await save(connection, fields, key.current?.value ?? ''),
    isTested: pressed?.dataset['tests'] === 'true',
  });
  return (
    <FormDialog
      title={connection === null ? 'New connection' : `Edit ${connection.name}`}
      action="Save"
      failed="The connection could not be saved"
      paths={['name', 'provider', 'api_key', 'base_url', 'default_model']}
      send={send}
      onSent={({ saved, isTested }) => onSaved(saved, isTested)}
      otherAction={(formId, isBusy) => (
        <Button type="submit" form={formId} data-tests="true" disabled={isBusy}>
          Save and test
        </Button>
      )}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <TextField label="Name" required {...bind('name')} fault={faults.at('name')} />
          <SelectField
            label="Provider"
            options={offered(providers, fields.provider)}
            {...bind('provider')}
            fault={faults.at('provider')}
          />
          <TextField
            label="API key"
            type="password"
            autoComplete="new-password"
            ref={key}
            required={rule.isRequired}
            {...(rule.hint !== null && { hint: rule.hint })}
            fault={faults.at('api_key')}
          />
          <TextField
            label="Base URL"
            type="url"
            required={provider?.needs_base_url === true}
            placeholder={provider?.default_base_url ?? ''}
            hint={baseHint(provider)}
            {...bind('baseUrl')}
            fault={faults.at('base_url')}
          />
          <TextField
            label="Default model"
            hint="Used by evaluations that name no model."
            {...bind('defaultModel')}
            fault={faults.at('default_model')}
          />
        </>
      )}
    </FormDialog>
  );
}

function save(before: ConnectionResource | null, fields: ConnectionFields, key: string): Promise<ConnectionResource> {
  return before === null
    ? api.createConnection({ body: creationOf(fields, key) })
    : api.updateConnection({ path: { id: before.id }, body: changeOf(before, fields, key) });
}

/** The providers that can be chosen; one that a stored connection has and the instance no longer knows stays. */
function offered(providers: CapabilitiesResource['providers'], chosen: string) {
  const names = providers.map(({ name }) => name);
  const all = names.includes(chosen) || chosen === '' ? names : [...names, chosen];
  return all.map((name) => ({ value: name, label: name }));
}

function baseHint(provider: CapabilitiesResource['providers'][number] | undefined): string {
  if (provider?.needs_base_url)
    return 'The address of the server up to the path of a call, such as https://models.example.com/v1';
  const base = provider?.default_base_url ?? null;
  return base === null ? 'Leave empty for the default.' : `Leave empty for ${base}`;
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
      {...(test?.result && { 'data-tone': test.result.ok ? 'ok' : 'failed' })}
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

function describeTest(result: ConnectionTestResult | null): string {
  if (result === null) return 'Testing …';
  if (!result.ok) return `Failed: ${result.error ?? 'the provider gave no reason'}`;
  return `Reached in ${formatDuration(result.latency_ms)} · ${formatCounted(result.models?.length ?? 0, 'model')}`;
}
