import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { FaultNotice } from '../../components/page-parts.js';
import { runAddress } from '../addresses.js';
import { FormDialog, textIn } from '../dialogs.js';
import { useModelChoices } from '../model-choices.js';
import formStyles from '../runs/run-form.module.css';
import { EMPTY_SCORER, scoringOf, type ScorerFields } from '../runs/scorer-fields.js';
import { ScorerForm } from '../runs/scorer-form.js';
import { scoringFirst, type ReplaySource } from './replay-source.js';

export interface ReplayDialogProps {
  /** Which calls are made again. */
  source: ReplaySource;
  /** What `source` takes, in words: `The 12 selected spans`. */
  what: string;
  /** What the run is called unless somebody changes it. */
  name: string;
  /** What the calls are made with unless somebody changes it. */
  change?: { connection: string; model: string };
  onClose(): void;
}

const SYSTEM_PROMPTS = [
  { value: '', label: 'As it was recorded' },
  { value: 'replace', label: 'Replaced by' },
  { value: 'prepend', label: 'With a text before it' },
  { value: 'append', label: 'With a text after it' },
];

const PATHS = [
  ...['name', 'source.sample', 'change.connection_id', 'change.model', 'change.system_prompt', 'max_cost_usd'],
  ...['judge', 'scoring', 'scoring_config', 'scorers'],
];

/** What recorded calls are made again with, and how the answers are scored. Opened when what there is to choose from is known. */
export function ReplayDialog(props: ReplayDialogProps) {
  const { isReady, error } = useModelChoices('');
  return isReady || error ? <ReplayForm {...props} /> : null;
}

function ReplayForm({ source, what, name, change, onClose }: ReplayDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const all = useModelChoices('');
  const usual = all.connections[0];
  const [connection, setConnection] = useState(change?.connection ?? usual?.id ?? '');
  const [model, setModel] = useState(change?.model ?? usual?.default_model ?? '');
  const [prompt, setPrompt] = useState('');
  const { connections, models, modelFault, scorers: offered } = useModelChoices(connection);
  const [scorers, setScorers] = useState<readonly ScorerFields[]>([
    { ...EMPTY_SCORER, scoring: scoringFirst(offered) },
  ]);
  const options = connections.map(({ id, name: label }) => ({ value: id, label }));
  const choose = (id: string): void => {
    setConnection(id);
    setModel(connections.find((one) => one.id === id)?.default_model ?? '');
  };
  const send = async (form: FormData) => {
    const [sample, cost] = [textIn(form, 'sample'), textIn(form, 'max_cost_usd')];
    const body = {
      name: textIn(form, 'name'),
      source: { ...source, ...(sample !== '' && { sample: Number(sample) }) },
      change: {
        connection_id: connection,
        ...(model.trim() !== '' && { model: model.trim() }),
        ...(prompt !== '' && { system_prompt: { [prompt]: String(form.get('text')) } }),
      },
      ...scoringOf(scorers),
      ...(cost !== '' && { max_cost_usd: Number(cost) }),
    };
    return api.startReplay({ body: body as never });
  };
  return (
    <FormDialog
      title="Replay"
      size="large"
      action="Replay"
      failed="The replay could not be started"
      paths={PATHS}
      canSend={connection !== ''}
      send={send}
      onSent={({ run_id: run }) => {
        void client.invalidateQueries({ queryKey: keys.datasets() });
        void client.invalidateQueries({ queryKey: ['runs'] });
        onClose();
        void navigate({ to: runAddress(run) });
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p>{what} Calls are made again one by one, and compared with the recorded answers. No tool is called.</p>
          {all.error && <FaultNotice title="The connections could not be loaded" error={all.error} />}
          {all.isReady && connections.length === 0 && (
            <p>
              There is no connection yet. <Link to="/connections">Go to Connections</Link>
            </p>
          )}
          <TextField label="Name" name="name" required defaultValue={name} fault={faults.at('name')} />
          <div className={formStyles.beside}>
            <SelectField
              label="Connection"
              options={options}
              value={connection}
              onChange={({ currentTarget: { value } }) => choose(value)}
              fault={faults.at('change.connection_id')}
            />
            <TextField
              label="Model"
              suggestions={models}
              placeholder="As it was recorded"
              {...(modelFault !== null && { hint: `The models could not be listed: ${modelFault}` })}
              value={model}
              onChange={({ currentTarget: { value } }) => setModel(value)}
              fault={faults.at('change.model')}
            />
          </div>
          <SelectField
            label="System prompt"
            options={SYSTEM_PROMPTS}
            value={prompt}
            onChange={({ currentTarget: { value } }) => setPrompt(value)}
          />
          {prompt !== '' && (
            <TextArea
              {...{ label: 'Text', name: 'text', rows: 4, required: true, dir: 'auto' }}
              fault={faults.at('change.system_prompt')}
            />
          )}
          <ScorerForm {...{ scorers, offered, faults }} connections={options} onChange={setScorers} />
          <div className={formStyles.beside}>
            <TextField
              {...{ label: 'Sample', name: 'sample', type: 'number', min: 1, max: 10_000, step: 1 }}
              placeholder={source.filters ? 'The newest 1,000' : 'All'}
              hint="Calls chosen by chance"
              fault={faults.at('source.sample')}
            />
            <TextField
              {...{ label: 'Max cost (USD)', name: 'max_cost_usd', type: 'number', min: 0, step: 'any' }}
              placeholder="No cap"
              hint="Judges of what was recorded may cost as much again"
              fault={faults.at('max_cost_usd')}
            />
          </div>
        </>
      )}
    </FormDialog>
  );
}
