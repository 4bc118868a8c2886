import type { DatapointPreview } from '@spandrel/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { listPage, api } from '../../api/api.js';
import { FieldFaults } from '../../api/form-faults.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/page-parts.js';
import { CheckboxField, SelectField, TextArea, TextField, type TextFieldProps } from '../../components/field.js';
import { sourceOptions } from '../../features/datapoint/sources.js';
import { GateEditor } from '../../features/gates/gate-editor.js';
import { formatTime } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { wordsOfScoring } from '../../features/scorer-words.js';
import { runAddress } from '../../features/addresses.js';
import { keys } from '../../api/keys.js';
import { useModelChoices } from '../../features/model-choices.js';
import { RunField, useDatasetNames, useRunsOf } from '../../features/runs/run-queries.js';
import { useSettled } from '../../components/hooks.js';
import { describeCost } from './estimate-cost.js';
import {
  countTaken,
  describeCalls,
  describeMissing,
  keptMessages,
  modelsOf,
  shownOf,
  MORE_MODELS,
  MORE_PROMPTS,
  startMatrixOf,
  startOf,
  systemPromptsOf,
  type RunFields,
  type RunText,
} from './run-fields.js';
import { nameOfScorer } from '../../features/runs/scorer-fields.js';
import { ScorerForm } from '../../features/runs/scorer-form.js';
import styles from '../../features/runs/run-form.module.css';

const WIRE: Readonly<Partial<Record<RunText, string>>> = {
  ...{ connection: 'config.connection_id', model: 'config.model', name: 'name', systemPrompt: 'config.system_prompt' },
  userPrompt: 'config.messages',
  ...{ temperature: 'config.temperature', maxTokens: 'config.max_tokens' },
  ...{ model2: 'models', systemPrompt2: 'prompts' },
  ...{ repeats: 'repeats', passScore: 'pass_score', maxCost: 'max_cost_usd', metadata: 'metadata' },
  baseline: 'baseline_run_id',
  ...{
    filter: 'filter.metadata',
    limit: 'filter.limit',
    sample: 'filter.sample',
    seed: 'filter.seed',
    source: 'filter.source',
    cache: 'cache',
  },
};
const PLACES = [
  ...Object.values(WIRE),
  'scoring',
  'scoring_config',
  'config.judge',
  'scorers',
  'gates',
  'models',
  'prompts',
];

const LIMITS: readonly (TextFieldProps & { member: RunText })[] = [
  { member: 'repeats', label: 'Repeats', min: 1, max: 100, step: 1, hint: 'Attempts per datapoint' },
  {
    ...{ member: 'passScore', label: 'Pass score', min: 0, max: 1, step: 'any', placeholder: '1, judges 0.5' },
    hint: 'Counts as passed at or above',
  },
  {
    ...{ member: 'maxCost', label: 'Max cost (USD)', min: 0, step: 'any', placeholder: 'No cap' },
    hint: 'Includes calls of judges',
  },
];

const PART: readonly (TextFieldProps & { member: RunText })[] = [
  { member: 'limit', label: 'Limit', min: 1, step: 1, placeholder: 'All', hint: 'The oldest datapoints first' },
  { member: 'sample', label: 'Sample', min: 1, step: 1, placeholder: 'All', hint: 'Datapoints chosen by chance' },
  { member: 'seed', label: 'Seed', step: 1, placeholder: '0', hint: 'The same seed chooses the same ones' },
];

const VARIABLES =
  'Variables, in the system prompt too: {{input}}, {{input.MEMBER}}, {{metadata.MEMBER}}; {{messages}} alone for the messages of the datapoint; \\{{ for two braces';

const PASS_MODES = [
  { value: 'all', label: 'Every scorer reaches its pass score' },
  { value: 'mean', label: 'The mean reaches the pass score' },
];

/** The form of a run. @param initial what it begins with. */
export function RunForm({ initial }: { initial: RunFields }) {
  const navigate = useNavigate();
  const { times } = usePreferences();
  const [fields, setFields] = useState(initial);
  const { datasets, connections, models: offered, modelFault, scorers } = useRunChoices(fields.connection);
  const expecting = fields.scorers.filter(({ scoring }) =>
    scorers.some((one) => one.name === scoring && one.needs_expected),
  );
  const named = expecting.map(({ name, scoring }) => name.trim() || wordsOfScoring(scoring));
  const missing = useMissingExpected(expecting.length > 0 ? fields.dataset : '');
  const start = useMutation({
    mutationFn: async () => {
      const path = { id: fields.dataset };
      const allowed = missing?.isAll ? { allow_unscored: true } : {};
      const several = startMatrixOf(fields, formatTime(Date.now(), times));
      if (several !== null) return api.startEvalMatrix({ path, body: { ...several, ...allowed } });
      return api.startEval({ path, body: { ...startOf(fields), ...allowed } });
    },
    onSuccess: (started) => {
      if ('id' in started) void navigate({ to: runAddress(started.id) });
      else void navigate({ to: '/evaluations', search: { group_id: started.group_id } as never });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!start.isPending) start.mutate();
  };
  const faults = new FieldFaults(start.error);
  const set = (changed: Partial<RunFields>): void => setFields((before) => ({ ...before, ...changed }));
  const bind = (member: RunText) => ({
    value: fields[member],
    onChange: (event: { currentTarget: { value: string } }) => set({ [member]: event.currentTarget.value }),
    fault: WIRE[member] === undefined ? undefined : faults.at(WIRE[member]),
  });
  const chooseConnection = (id: string): void =>
    set({ connection: id, model: connections.find((one) => one.id === id)?.default_model ?? '' });
  const dataset = datasets.find(({ id }) => id === fields.dataset);
  const taken = countTaken(dataset?.datapoint_count ?? 0, fields);
  const models = modelsOf(fields);
  const prompts = systemPromptsOf(fields);
  const runs = models.length * prompts.length;
  const repeats = Number(fields.repeats) || 1;
  const judges = fields.scorers.filter(({ scoring }) =>
    scorers.some((one) => one.name === scoring && one.asks_judge),
  ).length;
  return (
    <form aria-label="New evaluation" className={styles.form} onSubmit={submit}>
      <SelectField label="Dataset" options={datasets.map(optionOf)} {...bind('dataset')} />
      <TextArea
        label="Datapoints with metadata"
        rows={2}
        placeholder="All"
        hint="One condition per line: split = test"
        {...bind('filter')}
      />
      <div className={styles.beside}>
        {PART.map(({ member, ...field }) => (
          <TextField key={member} type="number" {...field} {...bind(member)} />
        ))}
      </div>
      <SelectField label="Source" options={sourceOptions(fields.source)} {...bind('source')} />
      <SelectField
        label="Connection"
        options={connections.map(optionOf)}
        {...bind('connection')}
        onChange={(event) => chooseConnection(event.currentTarget.value)}
      />
      <TextField
        label="Model"
        suggestions={offered}
        {...(modelFault !== null && { hint: `The models could not be listed: ${modelFault}` })}
        required
        {...bind('model')}
      />
      {shownOf(MORE_MODELS, fields, ([, model]) => model).map(([connection, model], at) => (
        <div key={model} className={styles.beside}>
          <TextField
            label={`Model ${at + 2}`}
            suggestions={offered}
            placeholder="None"
            {...(at === 0 && { hint: 'Each model makes a run of its own' })}
            {...bind(model)}
          />
          <SelectField
            label={`Connection ${at + 2}`}
            options={[{ value: '', label: 'Same as the first' }, ...connections.map(optionOf)]}
            {...bind(connection)}
          />
        </div>
      ))}
      <TextField label="Run name" placeholder={runs > 1 ? 'The time' : fields.model} {...bind('name')} />
      <TextArea label="System prompt" rows={4} {...bind('systemPrompt')} />
      {shownOf(MORE_PROMPTS, fields, (member) => member).map((member, at) => (
        <TextArea
          key={member}
          label={`System prompt ${at + 2}`}
          rows={2}
          placeholder="None"
          {...(at === 0 && { hint: 'Each system prompt makes runs of its own, to compare' })}
          {...bind(member)}
        />
      ))}
      <TextArea
        label="User prompt"
        rows={3}
        placeholder={keptMessages(fields) ? 'The messages of the run that is made again' : 'The datapoint as it is'}
        hint={VARIABLES}
        {...bind('userPrompt')}
      />
      <div className={styles.beside}>
        <TextField label="Temperature" type="number" min={0} max={2} step="any" {...bind('temperature')} />
        <TextField label="Max tokens" type="number" min={1} step={1} {...bind('maxTokens')} />
      </div>
      <ScorerForm
        {...{ faults }}
        scorers={fields.scorers}
        offered={scorers}
        connections={connections.map(optionOf)}
        onChange={(next) => set({ scorers: next })}
      />
      {fields.scorers.some(({ scoring }) => scorers.some((one) => one.name === scoring && one.needs_baseline)) && (
        <RunField
          label="Compare with the answers of"
          none="Choose a run"
          required
          datasetId={fields.dataset}
          without={[]}
          {...bind('baseline')}
          onChange={(baseline) => set({ baseline })}
        />
      )}
      <div className={styles.beside}>
        {LIMITS.map(({ member, ...field }) => (
          <TextField key={member} type="number" {...field} {...bind(member)} />
        ))}
      </div>
      {fields.scorers.length > 1 && (
        <SelectField label="A sample passes when" options={PASS_MODES} {...bind('passMode')} />
      )}
      <GateEditor
        {...{ repeats, faults }}
        gates={fields.gates}
        datasetId={fields.dataset}
        scorers={fields.scorers.map(nameOfScorer)}
        onChange={(gates) => set({ gates })}
      />
      <CheckboxField
        label="Take answers of earlier runs over"
        checked={fields.cache === 'reuse'}
        onChange={({ currentTarget: { checked } }) => set({ cache: checked ? 'reuse' : '' })}
      />
      <TextArea label="Metadata" rows={2} hint="One per line: commit = 1a2b3c" {...bind('metadata')} />
      {start.error && !faults.areAllAt(PLACES) && (
        <FaultNotice title="The evaluation could not be started" error={start.error} />
      )}
      <p>{dataset !== undefined && describeCalls(taken, repeats, judges, runs)}</p>
      <CostEstimate
        datasetId={fields.dataset}
        models={models.map(({ model }) => model)}
        calls={(taken * repeats * runs) / models.length}
        isJudged={judges > 0}
      />
      <p role="status" aria-label="Expected values">
        {missing && describeMissing(missing.count, missing.total, named)}
      </p>
      <Button writes type="submit" variant="primary" className={styles.start} disabled={start.isPending}>
        {missing?.isAll ? 'Start without scores' : 'Start evaluation'}
      </Button>
    </form>
  );
}

const SIZED = 200;
const PAUSE_MS = 400;

interface CostEstimateProps {
  datasetId: string;
  models: readonly string[];
  calls: number;
  isJudged: boolean;
}

function CostEstimate({ datasetId, models, calls, isJudged }: CostEstimateProps) {
  const named = useSettled(models.join('\n'), PAUSE_MS).split('\n').filter(Boolean);
  const counted = (useRunsOf(datasetId).data ?? []).filter((run) => run.total_tokens > 0);
  const earlier = counted.find((run) => isJudged && run.judge_cost !== null) ?? counted[0];
  const sizes = useQuery({
    queryKey: keys.datapointSizes(datasetId),
    queryFn: async ({ signal }) => {
      const query = { preview: 1, limit: SIZED };
      const { rows } = await listPage<DatapointPreview>('listDatapoints', { path: { id: datasetId }, query, signal });
      return rows.map(({ kind_bytes: bytes }) => bytes);
    },
  });
  const found = useQuery({
    queryKey: keys.prices(named),
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(named.map((model) => api.listPrices({ query: { model }, signal })));
      return answers.map(({ prices }, at) => prices.find(({ model }) => model === named[at])?.price ?? null);
    },
  });
  if (found.data === undefined || sizes.data === undefined) return null;
  const prices = new Map(named.map((model, at) => [model, found.data[at] ?? null]));
  return <p>{describeCost({ calls, isJudged, prices, earlier, sizes: sizes.data })}</p>;
}

function useMissingExpected(datasetId: string) {
  const query = useQuery({
    queryKey: keys.withoutExpected(datasetId),
    queryFn: ({ signal }) =>
      api.getDataset({ path: { id: datasetId }, query: { include: 'without_expected_count' }, signal }),
    enabled: datasetId !== '',
    staleTime: 0,
  });
  if (datasetId === '' || query.data === undefined) return null;
  const { without_expected_count: count = 0, datapoint_count: total } = query.data;
  return { count, total, isAll: total > 0 && count === total };
}

const optionOf = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });

/** What a run can be made of. @param connectionId the one whose models are listed; `''` for none. */
export function useRunChoices(connectionId: string) {
  const { query: datasetQuery, datasets } = useDatasetNames();
  const { connections, error, isReady, ...choices } = useModelChoices(connectionId);
  return {
    ...choices,
    datasets,
    connections,
    error: datasetQuery.error ?? error,
    isReady: datasetQuery.data !== undefined && isReady,
  };
}
