import { Inject, Injectable } from '@nestjs/common';
import {
  CACHE_DAYS,
  type RunScorer,
  type StartedEval,
  type StartEval,
  type StartMatrix,
  type EvalRunSummary,
} from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { Conflict, Invalid, invalidRequest, newId, type Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import { requestHash } from '@spandrel/tracing';
import { ChooseForRun, type Choice, type MissingExpected } from './choose-for-run.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { NEW_RUN, runSummary, snapshotOf, EXECUTION, PASS_MODE, RUN_STATUS } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { listRuns, type PlannedStart } from './list-runs.js';
import { PlanRun } from './plan-run.js';
import { CheckPrompts, type GivenPrompt } from './prompts/check-prompts.js';
import { ReadMetadata } from './statistics/metadata-keys.js';

/** The pass score of a run that gives none: with one scorer that counts, that scorer's. */
function passScoreOf(scorers: readonly RunScorer[]): number {
  const [only, ...others] = scorers.filter(({ weight }) => weight > 0);
  return only && others.length === 0 ? only.pass_score : 1;
}

/**
 * Starts eval runs: a row with a snapshot's number, whatever the size of the dataset; the work goes on behind
 * (docs/spec/evaluations.md#the-snapshot-of-a-run).
 */
@Injectable()
export class StartRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly choices: ChooseForRun,
    private readonly plans: PlanRun,
    private readonly metadata: ReadMetadata,
    private readonly prompts: CheckPrompts,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  /**
   * @returns the run as it was made: pending, with what its caller should know. One whose id was chosen, and that is there
   *   from the same request, as it is.
   * @throws NotFound for the dataset, a connection or a baseline; Invalid for what cannot be done, `nothing_to_score` where no
   *   datapoint has the expected value that a scorer needs, `nothing_to_evaluate` where the filter takes none; Conflict for an id
   *   that another request has taken.
   */
  async execute(scope: Scope, datasetId: string, body: StartEval): Promise<StartedSummary> {
    const prompts = [{ messages: body.config?.messages, at: 'config.messages' }];
    const start = { request: body, runs: [{ body }], prompts, groupId: null };
    return (await this.startAll(scope, datasetId, start))[0]!;
  }

  /**
   * Starts a run for each model with each prompt, all of them or none (docs/spec/evaluations.md#several-runs-at-once).
   * @returns the runs as {@link execute} does. @throws what that throws.
   */
  async executeMatrix(scope: Scope, datasetId: string, request: StartMatrix) {
    const groupId = request.id ?? newId();
    const prompts = request.prompts
      ? request.prompts.map(({ messages }, index) => ({ messages, at: `prompts[${index}].messages` }))
      : [{ messages: request.config?.messages, at: 'config.messages' }];
    const start = { request, runs: listRuns(request), prompts, groupId };
    return { group_id: groupId, runs: await this.startAll(scope, datasetId, start) };
  }

  private async startAll(
    scope: Scope,
    datasetId: string,
    { request, runs, prompts, groupId }: Start,
  ): Promise<StartedSummary[]> {
    const first = runs[0]!.body;
    // Models and prompts alone differ in runs that are started together.
    const scorers = await this.plans.listScorers(scope, first);
    const expecting = this.plans.listExpecting(scorers);
    const choose = (): Promise<Choice> => this.choices.execute(scope, datasetId, request.filter ?? {}, expecting);
    const isThere = first.id ? (await this.runs.find(scope, first.id)) !== null : false;
    // Before the transaction, which is not to be long.
    const choice = isThere ? undefined : await choose();
    const isExternal = request.execution === 'external';
    const lacking = isExternal ? [] : await this.prompts.execute(scope, datasetId, prompts, choice?.ids);
    const names = scorers.map(({ name }) => name);
    const resolved = await this.metadata.resolveGates(scope, { datasetId }, request.gates ?? [], names);
    let missing: MissingExpected | undefined;
    const startHash = request.id ? requestHash({ ...request, dataset_id: datasetId }) : null;
    const connectionIds = isExternal ? [] : runs.flatMap(({ body }) => body.config?.connection_id ?? []);
    const now = Date.now();
    const startOne = async (tx: WriteTx, { body, name }: PlannedStart) => {
      if (body.id) {
        const [there] = await this.runs.findForWrite(tx, scope, [body.id]);
        if (there?.startHash === startHash) return there;
        if (there) {
          throw new Conflict(
            'id_conflict',
            'another eval run has this id; choose another one, or repeat the first request unchanged',
          );
        }
      }
      const snapshot = await this.snapshots.take(tx, scope, datasetId);
      const isStale = !choice || (choice.ids !== null && choice.version !== snapshot.version);
      const taken = isStale ? await choose() : choice;
      missing = taken.missing;
      const { config, gates } = await this.plans.execute(tx, scope, datasetId, body, scorers, resolved, connectionIds);
      if (lacking.length > 0) throw invalidRequest(lacking);
      if (body.allow_unscored !== true && body.execution !== 'external') assertScorable(missing, expecting);
      const row: EvalRunRow = {
        ...NEW_RUN,
        projectId: scope.projectId,
        id: body.id ?? newId(),
        datasetId,
        datasetVersion: snapshot.version,
        name: name?.(config) ?? body.name,
        groupId,
        status: RUN_STATUS.pending,
        config: JSON.stringify(config),
        scoring: scorers[0]!.scoring,
        scoringConfig: toJsonText(scorers[0]!.scoring_config),
        scorers: body.scorers ? JSON.stringify(scorers) : null,
        connectionId: config.connection_id ?? '',
        judgeConnectionId: config.judge?.connection_id ?? null,
        execution: EXECUTION[body.execution ?? 'server'],
        repeats: body.repeats ?? 1,
        passScore: body.pass_score ?? passScoreOf(scorers),
        passMode: PASS_MODE[body.pass_mode ?? 'all'],
        filter: taken.ids === null ? null : toJsonText(body.filter),
        cacheDays: body.cache ? (body.cache_days ?? CACHE_DAYS) : null,
        costCap: body.max_cost_usd ?? null,
        gates: gates.length === 0 ? null : JSON.stringify(gates),
        metadata: body.metadata ? JSON.stringify(body.metadata) : null,
        startHash,
        total: taken.ids?.length ?? snapshot.count,
        createdAt: now,
      };
      await this.runs.insert(tx, row);
      if (taken.ids !== null) await this.snapshots.select(tx, scope, row.id, taken.ids);
      // Who executes an external run sends its results; one without datapoints ends by itself.
      if (row.execution === EXECUTION.server || row.total === 0)
        await this.dispatch.enqueue(tx, { projectId: row.projectId, id: row.id, orgId: scope.orgId });
      return row;
    };
    const rows = await this.storage.write(async (tx) => {
      const made: EvalRunRow[] = [];
      for (const run of runs) made.push(await startOne(tx, run));
      return made;
    });
    const lackExpected = missing ?? (await this.choices.countMissing(scope, snapshotOf(rows[0]!), expecting));
    return rows.map((row) => ({
      ...runSummary(row),
      ...(lackExpected.count > 0 && { warnings: [{ code: 'missing_expected' as const, ...lackExpected }] }),
    }));
  }
}

type StartedSummary = EvalRunSummary & Pick<StartedEval, 'warnings'>;

/** What is started by one request. */
interface Start {
  request: StartEval | StartMatrix;
  runs: PlannedStart[];
  prompts: GivenPrompt[];
  groupId: string | null;
}

/** @throws Invalid `nothing_to_score` where there are datapoints and all lack what a scorer needs. */
function assertScorable({ count, total }: MissingExpected, expecting: readonly string[]): void {
  if (count < total || total === 0) return;
  const which = total === 1 ? 'the one datapoint has no' : `none of the ${total} datapoints has an`;
  throw new Invalid(
    'nothing_to_score',
    `${which} expected value, which ${expecting.join(', ')} needs: no item could be scored; give the datapoints expected values, choose another scoring, or send allow_unscored: true`,
  );
}
