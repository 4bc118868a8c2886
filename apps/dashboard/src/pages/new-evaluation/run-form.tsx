import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { startRun } from '../../api/evals.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { runAddress } from '../../features/runs/run-link.js';
import { JudgeFields } from './judge-fields.js';
import { ModelField } from './model-field.js';
import { describeCalls, JUDGE, startOf, type RunFields } from './run-fields.js';
import { useRunChoices } from './use-run-choices.js';
import styles from './run-form.module.css';

/** The form of a run. @param initial what it begins with. */
export function RunForm({ initial }: { initial: RunFields }) {
  const navigate = useNavigate();
  const [fields, setFields] = useState(initial);
  const { datasets, connections, models, modelFault, scorers } = useRunChoices(fields.connection);
  const start = useMutation({
    mutationFn: async () => startRun(fields.dataset, startOf(fields)),
    onSuccess: ({ id }) => void navigate({ to: runAddress(id) }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!start.isPending) start.mutate();
  };
  const set = (member: keyof RunFields, value: string): void => setFields((before) => ({ ...before, [member]: value }));
  const bind = (member: keyof RunFields) => ({
    value: fields[member],
    onChange: (event: { currentTarget: { value: string } }) => set(member, event.currentTarget.value),
  });
  const chooseConnection = (id: string): void => {
    const model = connections.find((one) => one.id === id)?.default_model ?? '';
    setFields((before) => ({ ...before, connection: id, model }));
  };
  const dataset = datasets.find(({ id }) => id === fields.dataset);
  const scorer = scorers.find(({ name }) => name === fields.scoring);
  return (
    <form aria-label="New evaluation" className={styles.form} onSubmit={submit}>
      <SelectField label="Dataset" options={datasets.map(optionOf)} {...bind('dataset')} />
      <SelectField
        label="Connection"
        options={connections.map(optionOf)}
        value={fields.connection}
        onChange={(event) => chooseConnection(event.currentTarget.value)}
      />
      <ModelField label="Model" models={models} fault={modelFault} required {...bind('model')} />
      <TextField label="Run name" placeholder={fields.model} {...bind('name')} />
      <TextArea label="System prompt" rows={4} {...bind('systemPrompt')} />
      <div className={styles.beside}>
        <TextField label="Temperature" type="number" min={0} max={2} step="any" {...bind('temperature')} />
        <TextField label="Max tokens" type="number" min={1} step={1} {...bind('maxTokens')} />
      </div>
      <SelectField
        label="Scoring"
        options={scorers.map(({ name }) => ({ value: name, label: name }))}
        {...(scorer?.needs_expected && { hint: 'Datapoints without an expected value fail.' })}
        {...bind('scoring')}
      />
      {/* All that a judge can be told is in its group. */}
      {scorer?.config_schema && fields.scoring !== JUDGE && (
        <TextArea label="Scoring settings (JSON)" rows={4} {...bind('scoringConfig')} />
      )}
      {fields.scoring === JUDGE && <JudgeFields connections={connections.map(optionOf)} bind={bind} />}
      {start.error && <FaultNotice title="The evaluation could not be started" error={start.error} />}
      <p>{dataset !== undefined && describeCalls(dataset.datapoint_count, fields.scoring)}</p>
      <Button writes type="submit" variant="primary" className={styles.start} disabled={start.isPending}>
        Start evaluation
      </Button>
    </form>
  );
}

const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
