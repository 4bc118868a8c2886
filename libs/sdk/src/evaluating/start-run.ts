import type { Api } from '../api/client.js';
import { SpandrelError } from '../api/spandrel-error.js';
import type { EvalRunSummary } from '../api/schema.js';
import { ciMetadata, nameRun } from './ci-metadata.js';
import type { EvalSpandrel } from './definition.js';
import { findDataset } from './find-dataset.js';
import { DefinitionError, describeGate, nearest, needsBaseline, type Gate } from './gate.js';
import { canonicalJson, defined } from './json.js';
import { finalNames, type PlannedScorer, type Plan } from './read-definition.js';
import { trySample, type Sample, type Trials, type Tried } from './try-sample.js';

/** How runs are chosen. */
export interface BaselineOptions {
  /** The run that is compared. It is never chosen, nor is one that was scored or executed differently, or whose samples all failed. */
  except?: string | undefined;
  /** Whether runs that were scored differently are chosen, too. */
  allowDifferentScoring?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * @param text the id of a run, or `latest[:k=v,…]`: the newest completed run of the dataset with this metadata.
 * @returns the id of a run; undefined when `latest` finds none.
 * @throws DefinitionError for a text that is neither, or a run of another dataset; SpandrelError `eval_run_not_found` for an
 *   unknown one.
 */
export async function findBaseline(
  api: Api,
  datasetId: string,
  text: string,
  { except, allowDifferentScoring, signal }: BaselineOptions = {},
): Promise<string | undefined> {
  const metadata = readLatest(text);
  if (!metadata) {
    const run = await api.getEval({ path: { id: text.trim() }, query: { items: 'none' }, signal });
    if (run.dataset_id === datasetId) return run.id;
    throw new DefinitionError(`baseline: run ${run.id} is of another dataset, ${run.dataset_id}`);
  }
  const fitting = { baseline_for: except, allow_different_scoring: allowDifferentScoring };
  const query = { status: 'completed' as const, limit: 1, metadata, ...(except !== undefined && fitting) };
  const { runs } = await api.listEvals({ path: { id: datasetId }, query, signal });
  return runs[0]?.id;
}

/** Runs that are looked at for why none is a baseline, and values of a member of their metadata that are named. */
const LOOKED_AT = 100;
const NAMED_MAX = 3;
/** Longer texts are compared with none: the work grows with the square of their characters. */
const NEAR_CHARACTERS_MAX = 200;

/**
 * Says why `latest[:k=v,…]` finds no run to compare with.
 * @returns a part of a sentence, with the metadata of other runs that is near to what was asked for.
 */
export async function explainMissingBaseline(
  api: Api,
  datasetId: string,
  text: string,
  { except, signal }: BaselineOptions = {},
): Promise<string> {
  const query = { status: 'completed' as const, limit: LOOKED_AT };
  const { runs } = await api.listEvals({ path: { id: datasetId }, query, signal });
  const others = runs.filter(({ id }) => id !== except);
  const isShort = (word: string): boolean => word.length <= NEAR_CHARACTERS_MAX;
  const nearTo = (word: string, known: readonly string[]): string =>
    isShort(word) ? nearest(word, known.filter(isShort)) : '';
  const unknown = Object.entries(readLatest(text) ?? {}).flatMap(([key, value]) => {
    const values = [...new Set(others.flatMap(({ metadata }) => metadata[key] ?? []))];
    if (values.includes(value)) return [];
    const keys = [...new Set(others.flatMap(({ metadata }) => Object.keys(metadata)))];
    if (values.length === 0) return [`no run has the metadata ${key}${nearTo(key, keys)}`];
    const near = nearTo(value, values) || `; there are ${values.slice(0, NAMED_MAX).join(', ')}`;
    return [`no run has ${key}=${value}${near}`];
  });
  if (others.length === 0) return 'it is the first one';
  if (unknown.length > 0) return unknown.join('; ');
  return 'those that there are were scored or executed differently, or all of their samples failed';
}

/** The metadata that `latest[:k=v,…]` asks for; undefined for the id of a run. @throws DefinitionError */
export function readLatest(text: string): Record<string, string> | undefined {
  const [found, pairs] = /^latest(?::(.*))?$/s.exec(text.trim()) ?? [];
  if (found === undefined) return undefined;
  if (pairs === undefined) return {};
  return Object.fromEntries(
    pairs.split(',').map((pair) => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at).trim();
      if (at < 0 || key === '') {
        throw new DefinitionError(
          `baseline "${text}": "${pair}" is no key=value; the form is latest:branch=main,env=ci`,
        );
      }
      return [key, pair.slice(at + 1).trim()];
    }),
  );
}

interface EarlyTries {
  /** Names that scorers reported, by place. */
  learned: (string | undefined)[];
  /** @returns the try of a sample, once, if the snapshot has the datapoint as it was tried. */
  take(sample: Sample): Tried | undefined;
}

/** So many datapoints are tried until each scorer has reported its name. */
const TRIES_MAX = 3;

/**
 * A run has to say its scorers when it is started, and a function without a name says its own only in an answer
 * (`async ({ output }) => ({ name: 'short', score: 1 })`). So the first datapoints are tried beforehand, and count for the run.
 */
async function learnNames(api: Api, trials: Trials, signal: AbortSignal): Promise<EarlyTries> {
  const learned: (string | undefined)[] = [];
  const early = new Map<string, { tried: Tried; content: string }>();
  const take = ({ datapointId, repeat, kind }: Sample): Tried | undefined => {
    const known = repeat === 0 ? early.get(datapointId) : undefined;
    early.delete(datapointId);
    return known?.content === readContent(kind) ? known.tried : undefined;
  };
  if (trials.scorers.every(isNamed)) return { learned, take };
  const query = { limit: TRIES_MAX };
  const { datapoints } = await api.listDatapoints({ path: { id: trials.datasetId }, query, signal });
  for (const { id: datapointId, kind } of datapoints) {
    const tried = await trySample(trials, { datapointId, repeat: 0, kind });
    early.set(datapointId, { tried, content: readContent(kind) });
    for (const [place, said] of tried.said.entries()) learned[place] ??= said?.name;
    if (trials.scorers.every((scorer, place) => isNamed(scorer) || learned[place] !== undefined)) break;
  }
  return { learned, take };
}

const isNamed = ({ name }: PlannedScorer): boolean => name !== undefined;

/** What tasks and scorers see of a datapoint: the result of another run, which it may have got meanwhile, is left out. */
function readContent(kind: Sample['kind']): string {
  if (!('Generic' in kind)) return canonicalJson(kind);
  const { actual_output: _output, score: _score, ...content } = kind.Generic;
  return canonicalJson(content);
}

export interface OpenRun {
  run: EvalRunSummary;
  trials: Trials;
  names: readonly string[];
  early: Pick<EarlyTries, 'take'>;
  isNew: boolean;
  baselineRunId: string | undefined;
  /** Gates that were left out, in words, since there is nothing yet to compare with. */
  skippedGates: string[];
  /** Why `latest` found no run to compare with. */
  missingBaseline: string | undefined;
}

/** @throws DefinitionError for what can only be known when dataset, baseline and scorers are known; SpandrelError. */
export async function startRun(plan: Plan, spandrel: EvalSpandrel, signal: AbortSignal): Promise<OpenRun> {
  const { api } = spandrel;
  const dataset = await findDataset(api, plan.dataset, signal);
  if (dataset.datapoint_count === 0) throw new DefinitionError(`the dataset "${dataset.name}" has no datapoints`);
  const { baseline } = plan;
  const isLatest = baseline !== undefined && readLatest(baseline) !== undefined;
  const known = isLatest ? undefined : await baselineOf(plan, api, dataset.id, { signal });
  const { gates } = gatesWith(plan, known?.baselineRunId);
  const id = crypto.randomUUID();
  const metadata = { ...ciMetadata(), ...plan.metadata };
  const name = plan.name ?? (metadata.commit ? `${dataset.name}, ${nameRun(metadata)}` : dataset.name);
  const { task, scorers, repeats = 1, timeoutMs } = plan;
  // Traces of runs that nobody named are found by the dataset.
  const ofRun = { runId: id, runName: plan.name ?? dataset.name, datasetId: dataset.id, repeats };
  const trials = { ...ofRun, task, scorers, spandrel, bounds: { timeoutMs, signal } };
  const early = await learnNames(api, trials, signal);
  const names = finalNames(plan.scorers, early.learned);
  const start = api.startEval({
    path: { id: dataset.id },
    body: {
      ...{ id, name, execution: 'external', repeats, gates },
      ...defined({ pass_score: plan.passScore, pass_mode: plan.passMode }),
      ...(names.length === 0
        ? { scoring: 'External' }
        : { scorers: plan.scorers.map(({ body }, place) => ({ ...body, name: names[place]! })) }),
      metadata,
      ...(plan.config && { config: plan.config }),
      ...(plan.maxCostUsd !== undefined && { max_cost_usd: plan.maxCostUsd }),
    },
    signal,
  });
  const started = await start.catch((error: unknown) => {
    throw faultOfGate(error, gates, names) ?? error;
  });
  // Which runs were scored alike can be asked once this one is there.
  const found = known ?? (await baselineOf(plan, api, dataset.id, { except: id, signal }));
  const { gates: all, skipped } = gatesWith(plan, found.baselineRunId);
  const run = all.length === gates.length ? started : await setGates(api, id, all, names);
  return { run, trials, names, early, isNew: true, ...found, skippedGates: skipped.map(describeGate) };
}

/** Gives a run gates that compare. One that cannot have them is cancelled. */
async function setGates(
  api: Api,
  id: string,
  gates: readonly Gate[],
  names: readonly string[],
): Promise<EvalRunSummary> {
  try {
    return await api.setEvalGates({ path: { id }, body: { gates } });
  } catch (error) {
    await api.cancelEval({ path: { id } }).catch(() => undefined);
    throw faultOfGate(error, gates, names) ?? error;
  }
}

async function baselineOf(
  { baseline, allowDifferentScoring }: Plan,
  api: Api,
  datasetId: string,
  options: BaselineOptions,
): Promise<Pick<OpenRun, 'baselineRunId' | 'missingBaseline'>> {
  if (baseline === undefined) return { baselineRunId: undefined, missingBaseline: undefined };
  const baselineRunId = await findBaseline(api, datasetId, baseline, { ...options, allowDifferentScoring });
  const missingBaseline =
    baselineRunId === undefined ? await explainMissingBaseline(api, datasetId, baseline, options) : undefined;
  return { baselineRunId, missingBaseline };
}

/** Gates with the baseline that they need; those that have none are left out. */
function gatesWith(
  { gates, allowDifferentScoring }: Plan,
  baselineRunId: string | undefined,
): { gates: Gate[]; skipped: Gate[] } {
  const compared = { baseline_run_id: baselineRunId!, ...(allowDifferentScoring && { allow_different_scoring: true }) };
  const given = gates.map((gate) =>
    needsBaseline(gate) && baselineRunId !== undefined ? { ...compared, ...gate } : gate,
  );
  const lacks = (gate: Gate): boolean => needsBaseline(gate) && (gate.baseline_run_id ?? undefined) === undefined;
  return { gates: given.filter((gate) => !lacks(gate)), skipped: given.filter(lacks) };
}

/** What the server says of a gate: its scorer or its group is not there, which the server alone knows. */
function faultOfGate(error: unknown, gates: readonly Gate[], names: readonly string[]): DefinitionError | undefined {
  if (!(error instanceof SpandrelError)) return undefined;
  for (const { path, message } of error.errors) {
    const [, index, member] = /^gates\[(\d+)\]\.(.+)$/.exec(path) ?? [];
    const gate = gates[Number(index)];
    if (!gate) continue;
    const known = names.length === 0 ? 'the eval has no scorers' : `there are ${names.join(', ')}`;
    const strange = `"${gate.scorer}" is no scorer of the eval; ${known}; nor is it a value of its datapoints' metadata`;
    return new DefinitionError(
      `gate "${describeGate(gate)}": ${member === 'scorer' ? strange : `${member} ${message}`}`,
    );
  }
  return undefined;
}

/** Takes a run up that an earlier process began. @throws DefinitionError when it is over, or has another definition. */
export async function resumeRun(plan: Plan, id: string, spandrel: EvalSpandrel, signal: AbortSignal): Promise<OpenRun> {
  const { api } = spandrel;
  const run = await api.getEval({ path: { id }, query: { items: 'none' }, signal });
  const { id: runId, name: runName, dataset_id: datasetId, repeats } = run;
  await assertDataset(plan, run, spandrel, signal);
  if (plan.repeats !== undefined && plan.repeats !== repeats) {
    throw new DefinitionError(`resume: run ${id} has repeats ${repeats}, not ${plan.repeats}; they cannot change`);
  }
  const names = namesOf(plan, run);
  const { task, scorers, timeoutMs } = plan;
  const bounds = { timeoutMs, signal };
  const trials = { runId, runName, datasetId, repeats, task, scorers, spandrel, bounds };
  const named = run.gates.find(({ baseline_run_id: baseline }) => baseline !== null)?.baseline_run_id ?? undefined;
  const found =
    named === undefined
      ? await baselineOf(plan, api, datasetId, { except: id, signal })
      : { baselineRunId: named, missingBaseline: undefined };
  return { run, trials, names, early: { take: () => undefined }, isNew: false, ...found, skippedGates: [] };
}

async function assertDataset(
  plan: Plan,
  run: EvalRunSummary,
  { api }: EvalSpandrel,
  signal: AbortSignal,
): Promise<void> {
  const wanted = typeof plan.dataset === 'string' ? plan.dataset : plan.dataset.name;
  if (wanted === run.dataset_id) return;
  const { name } = await api.getDataset({ path: { id: run.dataset_id }, signal });
  if (name !== wanted)
    throw new DefinitionError(`resume: run ${run.id} is over the dataset "${name}", not "${wanted}"`);
}

function namesOf({ scorers }: Plan, run: EvalRunSummary): string[] {
  const { id, execution, status } = run;
  if (execution !== 'external') throw new DefinitionError(`resume: run ${id} is executed by the server`);
  if (status === 'cancelled' || status === 'failed') {
    const why = run.stop_reason === null ? '' : ` (${run.stop_reason})`;
    throw new DefinitionError(
      `resume: run ${id} is ${status}${why}; spandrel eval retry ${id} --what pending lets it go on`,
    );
  }
  const fits = scorers.every(({ name, body }, place) => {
    const there = run.scorers[place];
    return there?.scoring === body.scoring && (name === undefined || there.name === name);
  });
  // A run without scorers of its definition has one that gets no scores.
  if (fits && run.scorers.length === Math.max(1, scorers.length)) return run.scorers.map(({ name }) => name);
  const has = run.scorers.map(({ name }) => name).join(', ');
  const wants = scorers.map(({ name, body }) => name ?? `a function (${body.scoring})`).join(', ') || 'none';
  throw new DefinitionError(`resume: run ${id} has other scorers (${has}) than the definition (${wants})`);
}
