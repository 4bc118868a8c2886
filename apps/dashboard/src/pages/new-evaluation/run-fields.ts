import type {
  DatapointPreview,
  EvalConfig,
  EvalRunResource,
  SpanResource,
  StartEval,
  StartMatrix,
} from '@spandrel/contract';
import { filledText, formatCount, formatCounted, listOf, objectOf } from '@spandrel/contract/browser';
import { FormFault } from '../../api/form-faults.js';
import { fieldsOfGate, gateOf, type GateFields } from '../../features/gates/gates.js';
import { EMPTY_SCORER, scoringOf, scorersOfRun, type ScorerFields } from '../../features/runs/scorer-fields.js';

/** Members of the form with the models beyond the first, `''` for none, and their connections, `''` for that of the first. */
export const MORE_MODELS = [
  ['connection2', 'model2'],
  ['connection3', 'model3'],
  ['connection4', 'model4'],
] as const;

/** Members of the form with the system prompts beyond the first, `''` for none: each makes runs of its own. */
export const MORE_PROMPTS = ['systemPrompt2', 'systemPrompt3', 'systemPrompt4'] as const;

/** What is filled of a list of members, and one more. @param nameOf the member that says whether one is filled. */
export const shownOf = <T>(more: readonly T[], fields: RunFields, nameOf: (one: T) => RunText): readonly T[] =>
  more.slice(0, more.findLastIndex((one) => fields[nameOf(one)] !== '') + 2);

/** What the form of a run holds. Numbers are texts, since they may be half written. */
export interface RunFields extends Record<
  (typeof MORE_MODELS)[number][number] | (typeof MORE_PROMPTS)[number],
  string
> {
  dataset: string;
  connection: string;
  model: string;
  name: string;
  systemPrompt: string;
  /** With variables; `''`: the datapoint is sent as it is. */
  userPrompt: string;
  /** JSON: members of the config that have no field, of a run that is made again. */
  kept: string;
  temperature: string;
  maxTokens: string;
  repeats: string;
  passScore: string;
  /** A `PassMode`. */
  passMode: string;
  /** The run with whose answers scorers compare; `''` for none. */
  baseline: string;
  /** Dollars. */
  maxCost: string;
  /** `KEY = VALUE`, one a line. */
  metadata: string;
  /** Metadata of the datapoints to take, in the same way. */
  filter: string;
  limit: string;
  sample: string;
  /** By which datapoints are chosen; `''` for that of the server. */
  seed: string;
  /** Sources of the datapoints with commas between; `''` for all. */
  source: string;
  /** JSON: what else a run that is made again took its datapoints by. */
  conditions: string;
  /** `reuse`: answers of earlier runs are taken over. */
  cache: string;
  /** At least one. */
  scorers: readonly ScorerFields[];
  gates: readonly GateFields[];
}

export type RunText = Exclude<keyof RunFields, 'scorers' | 'gates'>;

export const EMPTY_FIELDS: RunFields = {
  ...{ dataset: '', connection: '', model: '', name: '', systemPrompt: '', temperature: '', maxTokens: '' },
  ...{ repeats: '1', passScore: '', passMode: 'all', baseline: '', maxCost: '', metadata: '', filter: '' },
  ...{ limit: '', sample: '', seed: '', source: '', conditions: '{}', cache: '' },
  ...{ model2: '', connection2: '', model3: '', connection3: '', model4: '', connection4: '' },
  ...{ userPrompt: '', systemPrompt2: '', systemPrompt3: '', systemPrompt4: '', kept: '{}' },
  ...{ scorers: [EMPTY_SCORER], gates: [] },
};

/** The form of a run that is made again. @param usual what it has in the place of what an external run has not. */
export function fieldsOfRun(run: EvalRunResource, usual: RunFields): RunFields {
  const { config } = run;
  const scorers = scorersOfRun(run);
  const linesOf = (values: object): string =>
    Object.entries(values)
      .map(([key, value]) => `${key} = ${value}`)
      .join('\n');
  return {
    ...EMPTY_FIELDS,
    dataset: run.dataset_id,
    connection: config.connection_id ?? usual.connection,
    model: config.model ?? usual.model,
    name: run.name,
    ...promptFields(config),
    temperature: String(config.temperature ?? ''),
    maxTokens: String(config.max_tokens ?? ''),
    repeats: String(run.repeats),
    passScore: String(run.pass_score),
    passMode: run.pass_mode,
    baseline: run.baseline_run_id ?? '',
    maxCost: String(run.max_cost_usd ?? ''),
    metadata: linesOf(run.metadata),
    filter: linesOf(run.filter?.metadata ?? {}),
    limit: String(run.filter?.limit ?? ''),
    sample: String(run.filter?.sample ?? ''),
    seed: String(run.filter?.seed ?? ''),
    source: run.filter?.source?.join() ?? '',
    conditions: JSON.stringify({ ids: run.filter?.ids }),
    cache: run.cache ?? '',
    scorers: scorers.length === 0 ? usual.scorers : scorers,
    gates: run.gates.map(fieldsOfGate),
  };
}

/** The form of a run with the system prompt, the model and the parameters of a try. @param usual what it has beside them. */
export function fieldsOfTry({ input, kind, metadata }: SpanResource, usual: RunFields): RunFields {
  const { connection_id: connection, request } = metadata;
  const { temperature, max_tokens: maxTokens } = objectOf(request);
  const system = listOf(input)
    .map(objectOf)
    .filter(({ role }) => role === 'system' || role === 'developer');
  return {
    ...usual,
    connection: filledText(connection) ?? usual.connection,
    model: filledText(kind['model']) ?? usual.model,
    systemPrompt: system.flatMap(({ content }) => filledText(content) ?? []).join('\n\n'),
    temperature: String(temperature ?? ''),
    maxTokens: String(maxTokens ?? ''),
  };
}

/** The models of a form, each with its connection. */
export const modelsOf = (fields: RunFields): { connection_id: string; model: string }[] =>
  [['connection', 'model'] as const, ...MORE_MODELS].flatMap(([connection, model], at) => {
    const name = fields[model].trim();
    return at > 0 && name === '' ? [] : [{ connection_id: fields[connection] || fields.connection, model: name }];
  });

/** The system prompts of a form: the first, and what others there are. */
export const systemPromptsOf = (fields: RunFields): string[] => [
  fields.systemPrompt,
  ...MORE_PROMPTS.map((member) => fields[member]).filter((text) => text !== ''),
];

/** The body that starts a run of each model with each prompt; `null` for one run. @param now names those without one. */
export function startMatrixOf(fields: RunFields, now: string): StartMatrix | null {
  const models = modelsOf(fields);
  const systemPrompts = systemPromptsOf(fields);
  if (models.length === 1 && systemPrompts.length === 1) return null;
  return {
    ...startOf(fields),
    name: fields.name.trim() || now,
    ...(models.length > 1 && { models }),
    ...(systemPrompts.length > 1 && {
      prompts: systemPrompts.map((systemPrompt) => promptOf({ ...fields, systemPrompt, kept: '{}' })),
    }),
  };
}

/** The body that starts a run, without what was left empty. @throws FormFault for a field that cannot be read. */
export function startOf(fields: RunFields): StartEval {
  const { judge, ...scoring } = scoringOf(fields.scorers);
  const metadata = readMetadata(fields.metadata);
  const filter = filterOf(fields);
  return {
    name: fields.name.trim() || fields.model.trim(),
    ...scoring,
    config: {
      ...promptOf(fields),
      connection_id: fields.connection,
      ...(fields.model.trim() !== '' && { model: fields.model.trim() }),
      ...(fields.temperature !== '' && { temperature: Number(fields.temperature) }),
      ...(fields.maxTokens !== '' && { max_tokens: Number(fields.maxTokens) }),
      ...(judge && { judge }),
    },
    ...(fields.repeats !== '' && fields.repeats !== '1' && { repeats: Number(fields.repeats) }),
    ...(fields.passScore !== '' && { pass_score: Number(fields.passScore) }),
    ...(fields.passMode === 'mean' && { pass_mode: 'mean' }),
    ...(fields.baseline !== '' && { baseline_run_id: fields.baseline }),
    ...(fields.maxCost !== '' && { max_cost_usd: Number(fields.maxCost) }),
    ...(fields.gates.length > 0 && { gates: fields.gates.map(gateOf) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(fields.cache === 'reuse' && { cache: fields.cache }),
  };
}

type Prompt = Pick<RunFields, 'systemPrompt' | 'userPrompt' | 'kept'>;

/** The prompt of a run, and what else of its config has no field: a conversation that is more than a system and a user message. */
function promptFields({ messages, system_prompt, max_tokens_member, trace }: EvalRunResource['config']): Prompt {
  const user = messages?.at(-1);
  const before = messages?.slice(0, -1) ?? [];
  const isShown = user?.role === 'user' && before.length <= 1 && before.every(({ role }) => role === 'system');
  return {
    systemPrompt: (isShown ? before[0]?.content : system_prompt) ?? '',
    userPrompt: isShown ? user.content : '',
    kept: JSON.stringify({ max_tokens_member, trace, ...(!isShown && { messages }) }),
  };
}

/** The messages of a run that is made again which the form cannot show, and sends as they are. */
export const keptMessages = ({ kept, systemPrompt, userPrompt }: Prompt) =>
  systemPrompt === '' && userPrompt === '' ? (JSON.parse(kept) as EvalConfig).messages : undefined;

function promptOf(fields: Prompt): EvalConfig {
  const { systemPrompt, userPrompt } = fields;
  const { messages: _shown, ...kept } = JSON.parse(fields.kept) as EvalConfig;
  const messages = keptMessages(fields);
  if (messages) return { ...kept, messages };
  if (userPrompt === '') return { ...kept, ...(systemPrompt !== '' && { system_prompt: systemPrompt }) };
  const system = systemPrompt === '' ? [] : [{ role: 'system' as const, content: systemPrompt }];
  return { ...kept, messages: [...system, { role: 'user', content: userPrompt }] };
}

function filterOf({ filter, limit, sample, seed, source, conditions }: RunFields): NonNullable<StartEval['filter']> {
  const metadata = readMetadata(filter, 'filter.metadata');
  return {
    ...(JSON.parse(conditions) as StartEval['filter']),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(limit !== '' && { limit: Number(limit) }),
    ...(sample !== '' && { sample: Number(sample) }),
    ...(seed !== '' && { seed: Number(seed) }),
    ...(source !== '' && { source: source.split(',') as DatapointPreview['source'][] }),
  };
}

/** How many datapoints such a form takes at most. @param datapoints of the dataset. */
export const countTaken = (datapoints: number, { limit, sample }: Pick<RunFields, 'limit' | 'sample'>): number =>
  Math.min(datapoints, Number(limit) || datapoints, Number(sample) || datapoints);

/** The metadata of such a text. @param path of the member. @throws FormFault for a line without a key or without `=`. */
export function readMetadata(text: string, path = 'metadata'): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      const key = line.slice(0, Math.max(at, 0)).trim();
      if (key === '') throw new FormFault(path, `must be KEY = VALUE in each line, which "${line.trim()}" is not`);
      return [key, line.slice(at + 1).trim()];
    }),
  );
}

/** What scorers that need expected values will not score, in words; `null` where nothing is missing. */
export function describeMissing(missing: number, datapoints: number, scorers: readonly string[]): string | null {
  if (missing === 0 || scorers.length === 0) return null;
  const [has, they] = missing === 1 ? ['has', 'it'] : ['have', 'they'];
  const what = missing === datapoints ? 'answers will be recorded and not scored' : `${they} will not be scored`;
  return (
    `${formatCount(missing)} of ${formatCounted(datapoints, 'datapoint')} ${has} no expected value. ` +
    `${scorers.join(' and ')} ${scorers.length === 1 ? 'needs' : 'need'} one: ${what}.`
  );
}

/** How many calls of models a run makes, in words. @param judges how many of the scorers ask a model. */
export function describeCalls(datapoints: number, repeats: number, judges: number, runs = 1): string {
  const calls = runs * datapoints * repeats * (1 + judges);
  const words = `This makes ${formatCounted(calls, 'call')}${runs === 1 ? '' : ` in ${formatCount(runs)} runs`}: ${repeats === 1 ? 'one' : formatCount(repeats)} for each datapoint`;
  if (judges === 0) return `${words}.`;
  const each = repeats === 1 ? '' : ' for each answer';
  return judges === 1 ? `${words}, and one of the judge${each}.` : `${words}, and ${judges} of the judges${each}.`;
}
