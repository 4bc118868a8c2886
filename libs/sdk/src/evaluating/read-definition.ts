import type { StartEvalScorer, StartEval } from '../api/schema.js';
import type { DatasetSource, EvalDefinition, EvaluateOptions } from './definition.js';
import { DefinitionError, nearest, needsBaseline, takesTries, parseGate, type Gate } from './gate.js';
import { defined, isObject } from './json.js';
import type { ScorerFunction, Unset } from './scorer.js';

/** @throws DefinitionError for a member that is not known, with the known name next to it. */
function assertKnown(members: object, known: readonly string[], path: string): void {
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DefinitionError(
    `${path ? `${path}.` : ''}${unknown} is not known${nearest(unknown, known)}; there are ${known.join(', ')}`,
  );
}

/** @returns a number within a range, both ends included; undefined when it is left out. @throws DefinitionError */
function numberFrom(value: unknown, path: string, least: number, most: number, what = 'number'): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new DefinitionError(`${path} must be a ${what} ${range}`);
}

const wholeNumberFrom = (value: unknown, path: string, least: number, most: number): number | undefined =>
  value === undefined || Number.isInteger(value)
    ? numberFrom(value, path, least, most)
    : numberFrom(NaN, path, least, most, 'whole number');

/** @returns a text that is not empty; undefined when it is left out. @throws DefinitionError */
function textFrom(value: unknown, path: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new DefinitionError(`${path} must be a text that is not empty`);
}

function booleanFrom(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new DefinitionError(`${path} must be true or false`);
}

export interface PlannedScorer {
  /** Undefined while a function without a name has not reported it by an answer. */
  name: string | undefined;
  /** Undefined for a scorer of the server. */
  score: ScorerFunction | undefined;
  /** What the start of the run says of it beside its name. */
  body: Omit<StartEvalScorer, 'name'>;
}

const SCORERS_MAX = 16;
/** The scorer of the API that takes the caller's scores. */
const EXTERNAL = 'External';
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const NAME_LENGTH_MAX = 64;

/** @throws DefinitionError at the place of what is no scorer. */
export function planScorers(scorers: unknown): PlannedScorer[] {
  if (!Array.isArray(scorers)) throw new DefinitionError('scorers must be a list');
  if (scorers.length > SCORERS_MAX) {
    throw new DefinitionError(`scorers has ${scorers.length} entries; a run takes ${SCORERS_MAX} at most`);
  }
  const planned = scorers.map((scorer: unknown, place) => planScorer(scorer, `scorers[${place}]`));
  assertDistinct(planned.map(({ name }) => name));
  return planned;
}

function planScorer(scorer: unknown, path: string): PlannedScorer {
  if (typeof scorer === 'function') {
    return { name: readFunctionName(scorer), score: scorer as ScorerFunction, body: { scoring: EXTERNAL } };
  }
  if (isObject(scorer) && 'score' in scorer) return planOwn(scorer, path);
  if (isObject(scorer) && 'scoring' in scorer) return planServer(scorer, path);
  throw new DefinitionError(`${path} must be a function, or what scorer(…) or server(…) gives`);
}

function planOwn(scorer: Record<string, unknown>, path: string): PlannedScorer {
  assertKnown(scorer, ['name', 'score', 'weight', 'passScore'], path);
  if (typeof scorer['score'] !== 'function') throw new DefinitionError(`${path}.score must be a function`);
  const body = { scoring: EXTERNAL, ...readOptions(scorer, path) };
  return { name: checkedName(scorer['name'], `${path}.name`), score: scorer['score'] as ScorerFunction, body };
}

function planServer(scorer: Record<string, unknown>, path: string): PlannedScorer {
  assertKnown(scorer, ['name', 'scoring', 'judge', 'config', 'weight', 'passScore'], path);
  const { scoring, name = scoring, judge, config } = scorer;
  if (typeof scoring !== 'string' || scoring === '') throw new DefinitionError(`${path}.scoring must be a text`);
  if (scoring === EXTERNAL) throw new DefinitionError(`${path}: give the function itself, not server('External')`);
  if (config !== undefined && !isObject(config)) throw new DefinitionError(`${path}.config must be an object`);
  const body = {
    scoring,
    ...(config !== undefined && { scoring_config: config }),
    ...(judge !== undefined && { judge: readJudge(judge, `${path}.judge`) }),
    ...readOptions(scorer, path),
  };
  return { name: checkedName(name, `${path}.name`), score: undefined, body };
}

function readJudge(judge: unknown, path: string): NonNullable<StartEvalScorer['judge']> {
  if (!isObject(judge)) throw new DefinitionError(`${path} must be { connectionId, model, rubric, temperature }`);
  assertKnown(judge, ['connectionId', 'model', 'rubric', 'temperature'], path);
  const { temperature: given, ...texts } = judge;
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined && typeof text !== 'string') throw new DefinitionError(`${path}.${name} must be a text`);
  }
  const { connectionId, model, rubric } = texts as { connectionId?: string; model?: string; rubric?: string };
  const temperature = given === null ? null : numberFrom(given, `${path}.temperature`, 0, 2);
  return defined({ connection_id: connectionId, model, rubric, temperature });
}

function readOptions(scorer: Record<string, unknown>, path: string): Pick<StartEvalScorer, 'weight' | 'pass_score'> {
  const weight = numberFrom(scorer['weight'], `${path}.weight`, 0, Infinity);
  const passScore = numberFrom(scorer['passScore'], `${path}.passScore`, 0, 1);
  return defined({ weight, pass_score: passScore });
}

function checkedName(name: unknown, path: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new DefinitionError(`${path} must be 1 to 64 characters of A-Z, a-z, 0-9, "_", "." and "-"`);
}

/** A name as scorers may have it; undefined where nothing of it is left. */
export function scorerName(text: string): string | undefined {
  const name = text
    .trim()
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .slice(0, NAME_LENGTH_MAX);
  return name === '' ? undefined : name;
}

const readFunctionName = (score: { name: string }): string | undefined =>
  scorerName(score.name.replace(/^(bound )+/, ''));

function assertDistinct(names: readonly (string | undefined)[]): void {
  const twice = names.find((name, place) => name !== undefined && names.indexOf(name) !== place);
  if (twice === undefined) return;
  throw new DefinitionError(`two scorers are named "${twice}"; give one another name with scorer(name, function)`);
}

/** @param learned names that answers had, by place. @throws DefinitionError when two scorers have the same. */
export function finalNames(scorers: readonly PlannedScorer[], learned: readonly (string | undefined)[] = []): string[] {
  const names = scorers.map(({ name }, place) => name ?? learned[place] ?? `scorer-${place + 1}`);
  assertDistinct(names);
  return names;
}

/** A definition that is as it should be, with what it left out. */
export type Plan = ReturnType<typeof readDefinition>;

const REPEATS_MAX = 100;
const GATES_MAX = 32;
const CONCURRENCY = 8;
const TIMEOUT_MS = 120_000;

const OPTIONS: readonly (keyof EvaluateOptions)[] = [
  ...(['name', 'repeats', 'concurrency', 'gates', 'groupBy', 'clusterBy', 'baseline', 'requireBaseline'] as const),
  ...(['allowDifferentScoring', 'metadata', 'spandrel', 'resume', 'signal', 'onAbort', 'onStarted'] as const),
  'onProgress',
];
const MEMBERS: readonly string[] = [
  ...['dataset', 'task', 'scorers', 'timeoutMs', 'passScore', 'passMode', 'config', 'maxCostUsd'],
  ...OPTIONS,
];

/** @param options take the place of the definition's own. @throws DefinitionError with the member that is wrong. */
export function readDefinition(definition: EvalDefinition & EvaluateOptions, options: EvaluateOptions = {}) {
  if (!isObject(definition)) throw new DefinitionError('an eval is an object: { dataset, task, … }');
  assertKnown(definition, MEMBERS, '');
  assertKnown(options, OPTIONS, '');
  const given = { ...definition, ...defined(options) };
  if (typeof given.task !== 'function') throw new DefinitionError('task must be a function');
  const repeats = wholeNumberFrom(given.repeats, 'repeats', 1, REPEATS_MAX);
  const baseline = textFrom(given.baseline, 'baseline');
  const clusterBy = textFrom(given.clusterBy, 'clusterBy');
  const requireBaseline = booleanFrom(given.requireBaseline, 'requireBaseline');
  if (requireBaseline === true && baseline === undefined) throw new DefinitionError('requireBaseline needs a baseline');
  return {
    dataset: checkedDataset(given.dataset),
    task: given.task,
    scorers: planScorers(given.scorers ?? []),
    name: textFrom(given.name, 'name'),
    /** Undefined where it is left out: once, or as often as a run that is resumed. */
    repeats,
    concurrency: wholeNumberFrom(given.concurrency, 'concurrency', 1, Infinity) ?? CONCURRENCY,
    timeoutMs: numberFrom(given.timeoutMs, 'timeoutMs', 1, Infinity) ?? TIMEOUT_MS,
    passScore: numberFrom(given.passScore, 'passScore', 0, 1),
    passMode: readPassMode(given.passMode),
    gates: readGates(given.gates ?? [], { repeats: repeats ?? 1, baseline }).map((gate) =>
      clusterBy === undefined ? gate : { cluster_by: clusterBy, ...gate },
    ),
    groupBy: [given.groupBy ?? []].flat().map((key) => textFrom(key, 'groupBy')!),
    clusterBy,
    baseline,
    requireBaseline,
    allowDifferentScoring: booleanFrom(given.allowDifferentScoring, 'allowDifferentScoring'),
    metadata: { ...readTexts(definition.metadata), ...readTexts(options.metadata) },
    config: readConfig(given.config),
    maxCostUsd: readCost(given.maxCostUsd),
    spandrel: given.spandrel,
    resume: textFrom(given.resume, 'resume'),
    signal: given.signal,
    onAbort: given.onAbort,
    onStarted: given.onStarted,
    onProgress: given.onProgress,
  };
}

function checkedDataset(dataset: unknown): string | DatasetSource {
  if (typeof dataset === 'string' && dataset !== '') return dataset;
  if (!isObject(dataset)) throw new DefinitionError('dataset must be a name, an id, or { name, items }');
  assertKnown(dataset, ['name', 'description', 'items'], 'dataset');
  if (textFrom(dataset['name'], 'dataset.name') === undefined) throw new DefinitionError('dataset.name is missing');
  if (!Array.isArray(dataset['items'])) throw new DefinitionError('dataset.items must be a list');
  for (const [place, item] of dataset['items'].entries()) {
    const path = `dataset.items[${place}]`;
    if (!isObject(item)) throw new DefinitionError(`${path} must be { input, expected?, metadata? }`);
    assertKnown(item, ['input', 'messages', 'expected', 'metadata'], path);
    if ((item['input'] === undefined) === (item['messages'] === undefined)) {
      throw new DefinitionError(`${path} must have either input or messages`);
    }
  }
  return dataset as unknown as DatasetSource;
}

function readGates(gates: unknown, { repeats, baseline }: { repeats: number; baseline: string | undefined }): Gate[] {
  if (!Array.isArray(gates)) throw new DefinitionError('gates must be a list, such as ["mean >= 0.9"]');
  if (gates.length > GATES_MAX) {
    throw new DefinitionError(`gates has ${gates.length} entries; a run takes ${GATES_MAX} at most`);
  }
  return gates.map((given: unknown, place) => {
    if (typeof given !== 'string' && !isObject(given)) {
      throw new DefinitionError(`gates[${place}] must be a text such as "mean >= 0.9", or a gate as the API takes it`);
    }
    const gate = typeof given === 'string' ? parseGate(given) : (given as unknown as Gate);
    const words = typeof given === 'string' ? `gate "${given.trim()}"` : `gates[${place}]`;
    if (needsBaseline(gate) && baseline === undefined && (gate.baseline_run_id ?? undefined) === undefined) {
      throw new DefinitionError(`${words} needs a baseline: the id of a run, or "latest"`);
    }
    if (takesTries(gate.metric) && (gate.k ?? 1) > repeats) {
      throw new DefinitionError(`${words}: @${gate.k} asks for more tries than repeats, which is ${repeats}`);
    }
    return gate;
  });
}

function readPassMode(mode: unknown): EvalDefinition['passMode'] {
  if (mode === undefined || mode === 'all' || mode === 'mean') return mode;
  throw new DefinitionError('passMode must be "all" or "mean"');
}

function readTexts(texts: unknown): Record<string, string> {
  if (texts === undefined) return {};
  if (!isObject(texts)) throw new DefinitionError('metadata must be an object of texts');
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw new DefinitionError(`metadata.${key} must be a text`);
  }
  return texts as Record<string, string>;
}

function readConfig(config: unknown): StartEval['config'] {
  if (config === undefined) return undefined;
  if (!isObject(config)) throw new DefinitionError('config must be an object');
  assertKnown(config, ['model', 'systemPrompt', 'temperature', 'maxTokens'], 'config');
  const model = textFrom(config['model'], 'config.model');
  const systemPrompt = textFrom(config['systemPrompt'], 'config.systemPrompt');
  const temperature = numberFrom(config['temperature'], 'config.temperature', 0, 2);
  const maxTokens = wholeNumberFrom(config['maxTokens'], 'config.maxTokens', 1, Infinity);
  return defined({ model, system_prompt: systemPrompt, temperature, max_tokens: maxTokens });
}

function readCost(maxCostUsd: unknown): number | undefined {
  const cost = numberFrom(maxCostUsd, 'maxCostUsd', 0, Infinity);
  if (cost === 0) throw new DefinitionError('maxCostUsd must be more than 0');
  return cost;
}

/** What a definition is known by, also one that another copy of the package made. */
const MARK = Symbol.for('spandrel.eval');

/**
 * An eval of one's own code, checked: `export default defineEval({ … })` is what `spandrel eval file` runs, and `evaluate` takes it.
 * @throws DefinitionError with the member that is wrong.
 */
export function defineEval<Input = Unset, Returned = Unset, Expected = Unset, Metadata = Unset>(
  definition: EvalDefinition<Input, Returned, Expected, Metadata>,
): EvalDefinition<Input, Returned, Expected, Metadata> {
  readDefinition(definition);
  return { ...definition, [MARK]: true } as typeof definition;
}

/** Whether a value is what `defineEval` gave. */
export const isEvalDefinition = (value: unknown): value is EvalDefinition =>
  typeof value === 'object' && value !== null && (value as { [MARK]?: unknown })[MARK] === true;
