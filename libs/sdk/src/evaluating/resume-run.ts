import type { EvalRunSummary } from '../api/schema.js';
import { DefinitionError } from './definition-error.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import { findBaseline } from './find-baseline.js';
import { trialsOf, type OpenRun } from './open-run.js';
import type { Plan } from './read-definition.js';

/**
 * Takes a run up that an earlier process began. Its scorers, repeats, gates and metadata stay as they were.
 * @throws DefinitionError when the run is over without being completed, or does not go with the definition.
 */
export async function resumeRun(plan: Plan, id: string, spandrel: EvalSpandrel, signal: AbortSignal): Promise<OpenRun> {
  const { api } = spandrel;
  const run = await api.getEval({ path: { id }, query: { items: 'none' }, signal });
  const { id: runId, name: runName, dataset_id: datasetId, repeats } = run;
  await assertDataset(plan, run, spandrel, signal);
  const names = namesOf(plan, run);
  const trials = trialsOf(plan, { runId, runName, datasetId, repeats }, spandrel, signal);
  const named = run.gates.find(({ baseline_run_id: baseline }) => baseline !== null)?.baseline_run_id ?? undefined;
  const { baseline } = plan;
  const baselineRunId =
    named ??
    (baseline === undefined ? undefined : await findBaseline(api, datasetId, baseline, { except: id, signal }));
  return { run, trials, names, early: { take: () => undefined }, isNew: false, baselineRunId, skippedGates: [] };
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

/** The names of the scorers as the run has them. */
function namesOf({ scorers }: Plan, run: EvalRunSummary): string[] {
  const { id, execution, status } = run;
  if (execution !== 'external') throw new DefinitionError(`resume: run ${id} is executed by the server`);
  if (status === 'cancelled' || status === 'failed') {
    throw new DefinitionError(`resume: run ${id} is ${status}${run.stop_reason ? ` (${run.stop_reason})` : ''}`);
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
