import { ciMetadata } from './ci-metadata.js';
import { DefinitionError } from './definition-error.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import { findBaseline } from './find-baseline.js';
import { findDataset } from './find-dataset.js';
import { describeGate, needsBaseline, type Gate } from './gate.js';
import { learnNames } from './learn-names.js';
import { trialsOf, type OpenRun } from './open-run.js';
import { finalNames } from './plan-scorers.js';
import type { Plan } from './read-definition.js';

/**
 * Starts a run over the dataset of a definition.
 * @throws DefinitionError for what can only be known when dataset, baseline and scorers are known; SpandrelError.
 */
export async function startRun(plan: Plan, spandrel: EvalSpandrel, signal: AbortSignal): Promise<OpenRun> {
  const { api } = spandrel;
  const dataset = await findDataset(api, plan.dataset, signal);
  if (dataset.datapoint_count === 0) throw new DefinitionError(`the dataset "${dataset.name}" has no datapoints`);
  const { baseline } = plan;
  const baselineRunId = baseline === undefined ? undefined : await findBaseline(api, dataset.id, baseline, { signal });
  const { gates, skipped } = gatesWith(plan.gates, baselineRunId);
  const id = crypto.randomUUID();
  const name = plan.name ?? dataset.name;
  const ofRun = { runId: id, runName: name, datasetId: dataset.id, repeats: plan.repeats };
  const trials = trialsOf(plan, ofRun, spandrel, signal);
  assertScorersOf(
    gates,
    plan.scorers.some((scorer) => scorer.name === undefined) ? undefined : finalNames(plan.scorers),
  );
  const early = await learnNames(api, trials, signal);
  const names = finalNames(plan.scorers, early.reported);
  assertScorersOf(gates, names);
  const run = await api.startEval({
    path: { id: dataset.id },
    body: {
      ...{ id, name, execution: 'external', repeats: plan.repeats, pass_score: plan.passScore, gates },
      ...(names.length === 0
        ? { scoring: 'External' }
        : { scorers: plan.scorers.map(({ body }, place) => ({ ...body, name: names[place]! })) }),
      metadata: { ...ciMetadata(), ...plan.metadata },
      ...(plan.config && { config: plan.config }),
      ...(plan.maxCostUsd !== undefined && { max_cost_usd: plan.maxCostUsd }),
    },
    signal,
  });
  return { run, trials, names, early, isNew: true, baselineRunId, skippedGates: skipped.map(describeGate) };
}

/** Gates with the baseline that they need; those that have none are left out. */
function gatesWith(gates: readonly Gate[], baselineRunId: string | undefined): { gates: Gate[]; skipped: Gate[] } {
  const given = gates.map((gate) =>
    needsBaseline(gate) && baselineRunId !== undefined ? { baseline_run_id: baselineRunId, ...gate } : gate,
  );
  const lacks = (gate: Gate): boolean => needsBaseline(gate) && (gate.baseline_run_id ?? undefined) === undefined;
  return { gates: given.filter((gate) => !lacks(gate)), skipped: given.filter(lacks) };
}

/** @param names undefined while they are not known. @throws DefinitionError for a gate on a scorer that the run has not. */
function assertScorersOf(gates: readonly Gate[], names: readonly string[] | undefined): void {
  const strange = names && gates.find(({ scorer }) => scorer && !names.includes(scorer));
  if (!strange) return;
  const known = names.length === 0 ? 'the eval has no scorers' : `there are ${names.join(', ')}`;
  throw new DefinitionError(`gate "${describeGate(strange)}": "${strange.scorer}" is no scorer of the eval; ${known}`);
}
