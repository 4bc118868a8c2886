import type { StartEval } from '../api/schema.js';
import { assertKnown, numberFrom, textFrom, wholeNumberFrom } from './check-members.js';
import { DefinitionError } from './definition-error.js';
import type { DatasetSource, EvalDefinition, Task } from './definition.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import type { EvaluateOptions } from './evaluate-options.js';
import { needsBaseline, takesTries, type Gate } from './gate.js';
import { isObject } from './json.js';
import { parseGate } from './parse-gate.js';
import { planScorers, type PlannedScorer } from './plan-scorers.js';

/** A definition that is as it should be, with what it left out. */
export interface Plan extends Omit<EvaluateOptions, 'name' | 'metadata' | 'gates'> {
  dataset: string | DatasetSource;
  task: Task<unknown, unknown, unknown>;
  scorers: PlannedScorer[];
  name: string | undefined;
  repeats: number;
  concurrency: number;
  timeoutMs: number;
  passScore: number;
  gates: Gate[];
  baseline: string | undefined;
  metadata: Readonly<Record<string, string>>;
  config: NonNullable<StartEval['config']> | undefined;
  maxCostUsd: number | undefined;
  spandrel: EvalSpandrel | undefined;
}

const REPEATS_MAX = 100;
const GATES_MAX = 32;
const CONCURRENCY = 8;
const TIMEOUT_MS = 120_000;

const OPTIONS: readonly (keyof EvaluateOptions)[] = [
  'name',
  'repeats',
  'concurrency',
  'gates',
  'baseline',
  'metadata',
  'spandrel',
  'resume',
  'signal',
  'onAbort',
  'onStarted',
  'onProgress',
];
const MEMBERS: readonly string[] = [
  ...['dataset', 'task', 'scorers', 'timeoutMs', 'passScore', 'config', 'maxCostUsd'],
  ...OPTIONS,
];

/**
 * @param options take the place of the definition's own members; `metadata` is laid over its own.
 * @throws DefinitionError with the member that is wrong.
 */
export function readDefinition(definition: EvalDefinition & EvaluateOptions, options: EvaluateOptions = {}): Plan {
  if (!isObject(definition)) throw new DefinitionError('an eval is an object: { dataset, task, … }');
  assertKnown(definition, MEMBERS, '');
  assertKnown(options, OPTIONS, '');
  const given = { ...definition, ...withoutUndefined(options) };
  if (typeof given.task !== 'function') throw new DefinitionError('task must be a function');
  const repeats = wholeNumberFrom(given.repeats, 'repeats', 1, REPEATS_MAX) ?? 1;
  const baseline = textFrom(given.baseline, 'baseline');
  return {
    dataset: checkedDataset(given.dataset),
    task: given.task,
    scorers: planScorers(given.scorers ?? []),
    name: textFrom(given.name, 'name'),
    repeats,
    concurrency: wholeNumberFrom(given.concurrency, 'concurrency', 1, Infinity) ?? CONCURRENCY,
    timeoutMs: numberFrom(given.timeoutMs, 'timeoutMs', 1, Infinity) ?? TIMEOUT_MS,
    passScore: numberFrom(given.passScore, 'passScore', 0, 1) ?? 1,
    gates: readGates(given.gates ?? [], { repeats, baseline }),
    baseline,
    metadata: { ...textsOf(definition.metadata), ...textsOf(options.metadata) },
    config: configOf(given.config),
    maxCostUsd: costOf(given.maxCostUsd),
    spandrel: given.spandrel,
    resume: textFrom(given.resume, 'resume'),
    signal: given.signal,
    onAbort: given.onAbort,
    onStarted: given.onStarted,
    onProgress: given.onProgress,
  };
}

function withoutUndefined<Members extends object>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<Members>;
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

function textsOf(texts: unknown): Record<string, string> {
  if (texts === undefined) return {};
  if (!isObject(texts)) throw new DefinitionError('metadata must be an object of texts');
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== 'string') throw new DefinitionError(`metadata.${key} must be a text`);
  }
  return texts as Record<string, string>;
}

function configOf(config: unknown): Plan['config'] {
  if (config === undefined) return undefined;
  if (!isObject(config)) throw new DefinitionError('config must be an object');
  assertKnown(config, ['model', 'systemPrompt', 'temperature', 'maxTokens'], 'config');
  const model = textFrom(config['model'], 'config.model');
  const systemPrompt = textFrom(config['systemPrompt'], 'config.systemPrompt');
  const temperature = numberFrom(config['temperature'], 'config.temperature', 0, 2);
  const maxTokens = wholeNumberFrom(config['maxTokens'], 'config.maxTokens', 1, Infinity);
  return {
    ...(model !== undefined && { model }),
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  };
}

function costOf(maxCostUsd: unknown): number | undefined {
  const cost = numberFrom(maxCostUsd, 'maxCostUsd', 0, Infinity);
  if (cost === 0) throw new DefinitionError('maxCostUsd must be more than 0');
  return cost;
}
