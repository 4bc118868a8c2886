import { Inject, Injectable } from '@nestjs/common';
import { Connections, type UsableConnection } from '@spandrel/connections';
import {
  EXTERNAL_SCORER,
  type EvalConfig,
  type EvalConfigResource,
  type FieldError,
  type Gate,
  type JudgedGate,
  type RunScorer,
  type StartEval,
  isStorableText,
  type EvalFilter,
  CACHE_DAYS,
  type StartedEval,
  type StartMatrix,
  type EvalRunSummary,
} from '@spandrel/contract';
import { invalidRequest, PLUGINS, type PluginRegistry, type Scope, Invalid, Conflict, newId } from '@spandrel/kernel';
import { type WriteTx, Storage, toJsonText } from '@spandrel/storage';
import { findPrice, PRICING, type PricingTable, largeRequestHash } from '@spandrel/tracing';
import { ChooseDatapoints, DatasetSnapshots, DatasetStore, type Snapshot } from '@spandrel/datasets';
import { EvalsSettings } from './evals.settings.js';
import { ScoringThreads } from './execution/prepare-run.js';
import { PlanGates } from './finish-run.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { NEW_RUN, runSummary, snapshotOf, EXECUTION, PASS_MODE, RUN_STATUS } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { listRuns, type PlannedStart } from './list-runs.js';
import { CheckPrompts, type GivenPrompt } from './prompts/prompt.js';
import { ReadMetadata } from './statistics/measure-run.js';

export interface MissingExpected {
  /** Datapoints without an expected value. */
  count: number;
  total: number;
}

/** The datapoints that a run is to take. */
export interface Choice {
  /** `null`: all of the dataset. */
  ids: readonly string[] | null;
  /** The version of the dataset that they are of. */
  version: number;
  missing: MissingExpected;
}

const FAULTS_MAX = 100;

/** Chooses the datapoints of a run, and says what they lack (docs/spec/evaluations.md#a-part-of-the-dataset). */
@Injectable()
export class ChooseForRun {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly choices: ChooseDatapoints,
  ) {}

  /**
   * @param filter one without conditions takes all. @param expecting names of the scorers that need an expected value.
   * @throws NotFound for the dataset; Invalid for ids that it does not have, `nothing_to_evaluate` where the filter takes none.
   */
  async execute(scope: Scope, datasetId: string, filter: EvalFilter, expecting: readonly string[]): Promise<Choice> {
    const { version } = await this.datasets.get(scope, datasetId);
    const snapshot = { datasetId, version };
    if (Object.values(filter).every((condition) => condition === undefined)) {
      return { ids: null, version, missing: await this.countMissing(scope, snapshot, expecting) };
    }
    if (filter.ids) await this.assertPresent(scope, snapshot, filter.ids);
    const ids = await this.choices.execute(scope, snapshot, filter);
    if (ids.length === 0) {
      throw new Invalid(
        'nothing_to_evaluate',
        'the filter takes no datapoint of the dataset, so there is nothing to run',
      );
    }
    return { ids, version, missing: await this.countMissing(scope, snapshot, expecting, ids) };
  }

  /** @param ids of the datapoints that are looked at; all of the snapshot when left out. */
  async countMissing(
    scope: Scope,
    snapshot: Snapshot,
    expecting: readonly string[],
    ids?: readonly string[],
  ): Promise<MissingExpected> {
    return expecting.length === 0 ? { count: 0, total: 0 } : this.snapshots.countWithoutExpected(scope, snapshot, ids);
  }

  private async assertPresent(scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<void> {
    const present = await this.snapshots.present(scope, snapshot, ids.filter(isStorableText));
    const faults = ids.flatMap((id, index): FieldError[] =>
      present.has(id)
        ? []
        : [{ path: `filter.ids[${index}]`, message: 'is not the id of a datapoint of this dataset' }],
    );
    if (faults.length > 0) throw invalidRequest(faults.slice(0, FAULTS_MAX));
  }
}

type GivenScorer = NonNullable<StartEval['scorers']>[number];

/** Makes what a request to start a run says into a plan that can be carried out (docs/spec/evaluations.md#starting-a-run). */
@Injectable()
export class PlanRun {
  constructor(
    private readonly connections: Connections,
    private readonly gates: PlanGates,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers' | 'providers'>,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly settings: EvalsSettings,
    private readonly threads: ScoringThreads,
  ) {}

  /** The scorers of a run, checked by their plugins. @throws Invalid with all faults. */
  async listScorers({ projectId }: Scope, body: StartEval): Promise<RunScorer[]> {
    const listed: GivenScorer[] = body.scorers ?? [{ scoring: body.scoring!, scoring_config: body.scoring_config }];
    const isExternal = body.execution === 'external';
    const faults: FieldError[] = [];
    const names = new Set<string>();
    const scorers: RunScorer[] = [];
    for (const [index, scorer] of listed.entries()) {
      const at = body.scorers ? `scorers[${index}].` : '';
      const name = scorer.name ?? scorer.scoring;
      if (names.has(name))
        faults.push({ path: `${at}name`, message: `${JSON.stringify(name)} is the name of two scorers` });
      names.add(name);
      faults.push(...(await this.findFaults(projectId, scorer, at, isExternal)));
      faults.push(...this.findRubricFaults(scorer, body, at));
      scorers.push({
        name,
        scoring: scorer.scoring,
        scoring_config: scorer.scoring_config ?? null,
        judge: scorer.judge ? completeJudge(scorer.judge) : null,
        weight: scorer.weight ?? 1,
        pass_score:
          scorer.pass_score ??
          body.pass_score ??
          (this.findScorer(scorer.scoring)?.extension.isGraded ? GRADE_THAT_PASSES : 1),
      });
    }
    const comparing = scorers.find(({ scoring }) => this.findScorer(scoring)?.extension.needsBaseline);
    if (comparing && (body.baseline_run_id ?? null) === null) {
      const message = `is required: ${comparing.scoring} compares with the answers of another run`;
      faults.push({ path: 'baseline_run_id', message });
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return scorers;
  }

  private findScorer(scoring: string): PluginRegistry['scorers'][number] | undefined {
    return this.plugins.scorers.find(({ name }) => name === scoring);
  }

  /** The names of scorers that cannot score a datapoint without an expected value. */
  listExpecting(scorers: readonly RunScorer[]): string[] {
    return scorers.filter(({ scoring }) => this.findScorer(scoring)?.extension.needsExpected).map(({ name }) => name);
  }

  /**
   * The config with its defaults, and the gates; connections are there and stay until the transaction ends.
   * @param others connections that other runs of the same transaction need.
   * @throws NotFound for a connection or baseline; Invalid for a model that is not named or has no price, and for gates.
   */
  async execute(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    body: StartEval,
    scorers: RunScorer[],
    resolved: { gates: Gate[]; faults: FieldError[] },
    others: readonly string[],
  ): Promise<{ config: EvalConfigResource; gates: JudgedGate[] }> {
    const repeats = body.repeats ?? 1;
    const { baseline_run_id: baselineRunId } = body;
    const gates = await this.gates.execute(tx, scope, { datasetId, repeats, scorers, baselineRunId, ...resolved });
    return { config: await this.completeConfig(tx, scope, body, scorers, others), gates };
  }

  /**
   * Checks the scorer of a scoring rule, which scores without a run.
   * @returns what completes its judge, whose connection then stays until the transaction ends; it throws as this does.
   * @throws Invalid with paths of the rule, NotFound for a connection.
   */
  planAlone(
    scope: Scope,
    { scoring, scoring_config, judge }: GivenScorer,
  ): Promise<(tx: WriteTx) => Promise<RunScorer>> {
    const body = { name: '', config: { judge }, scoring, scoring_config } as StartEval;
    return withoutConfig(async () => {
      if (this.findScorer(scoring)?.extension.needsBaseline) {
        const message = 'must compare with no other run: live traffic has none';
        throw invalidRequest([{ path: 'scoring', message }]);
      }
      const [scorer] = await this.listScorers(scope, body);
      if (this.findScorer(scoring)!.extension.needsExpected) {
        throw invalidRequest([{ path: 'scoring', message: 'must need no expected value: live traffic has none' }]);
      }
      const alone = { ...scorer!, judge: judge ? completeJudge(judge) : null };
      return async (tx) => {
        await withoutConfig(() => this.completeConfig(tx, scope, { ...body, execution: 'external' }, [alone], []));
        return alone;
      };
    });
  }

  private async completeConfig(
    tx: WriteTx,
    scope: Scope,
    body: StartEval,
    scorers: RunScorer[],
    others: readonly string[],
  ): Promise<EvalConfigResource> {
    const judges = scorers.flatMap(({ judge }) => judge?.connection_id ?? []);
    const { connection_id: id, judge } = body.config ?? {};
    const own = body.execution === 'external' ? undefined : id!;
    // Locked in one order by everybody.
    const connections = new Map<string, UsableConnection>();
    const needed = [...others, own, judge?.connection_id, ...judges].filter((each) => typeof each === 'string');
    for (const each of [...new Set(needed)].sort())
      connections.set(each, await this.connections.getForUse(tx, scope, each));
    for (const { judge: scorerJudge } of scorers) {
      if (scorerJudge?.connection_id && scorerJudge.model === null) {
        scorerJudge.model = connections.get(scorerJudge.connection_id)!.defaultModel;
      }
    }
    const config = this.complete(body, own, connections);
    this.assertPriced(body, config);
    this.assertJudges(body, config, scorers, connections);
    return config;
  }

  private async findFaults(
    projectId: string,
    { scoring, scoring_config: config }: GivenScorer,
    at: string,
    isExternal: boolean,
  ): Promise<FieldError[]> {
    if (scoring === EXTERNAL_SCORER && isExternal) {
      return config ? [{ path: `${at}scoring_config`, message: `must be left out with ${EXTERNAL_SCORER}` }] : [];
    }
    const scorer = this.findScorer(scoring);
    if (!scorer || scoring === EXTERNAL_SCORER) {
      const names = [...(isExternal ? [EXTERNAL_SCORER] : []), ...this.plugins.scorers.map(({ name }) => name)];
      return [{ path: `${at}scoring`, message: `must be the name of a scoring strategy: ${names.join(', ')}` }];
    }
    const checked = scorer.configure(config);
    const found =
      'faults' in checked ? checked.faults : await this.threads.findConfigFaults(projectId, scorer, checked.config);
    return found.map(({ path, message }) => ({
      path: path ? `${at}scoring_config.${path}` : `${at}scoring_config`,
      message,
    }));
  }

  private findRubricFaults({ scoring, judge }: GivenScorer, { config }: StartEval, at: string): FieldError[] {
    const rubric = judge?.rubric ?? config?.judge?.rubric;
    const message = rubric && this.findScorer(scoring)?.extension.rubricFault?.(rubric);
    return message ? [{ path: judge?.rubric ? `${at}judge.rubric` : 'config.judge.rubric', message }] : [];
  }

  private complete(
    { config = {} }: StartEval,
    id: string | undefined,
    connections: ReadonlyMap<string, UsableConnection>,
  ): EvalConfigResource {
    const { judge } = config;
    const model = config.model ?? (id === undefined ? null : connections.get(id)!.defaultModel);
    if (model === null && id !== undefined) {
      throw invalidRequest([
        { path: 'config.model', message: 'is required, since the connection has no default_model' },
      ]);
    }
    const judgeId = judge?.connection_id ?? null;
    const judgeModel = judgeId === null ? null : connections.get(judgeId)!.defaultModel;
    return {
      connection_id: id ?? null,
      model,
      system_prompt: config.system_prompt ?? null,
      ...(config.messages && { messages: config.messages }),
      temperature: config.temperature ?? null,
      max_tokens: config.max_tokens ?? null,
      ...(config.max_tokens_member && { max_tokens_member: config.max_tokens_member }),
      ...(config.system_prompt_mode && { system_prompt_mode: config.system_prompt_mode }),
      ...(config.recorded && { recorded: true }),
      trace: id !== undefined && (config.trace ?? this.settings.trace),
      judge: judge ? { ...completeJudge(judge), model: judge.model ?? judgeModel } : null,
    };
  }

  /** A cap holds only where what calls cost is known. */
  private assertPriced({ max_cost_usd: cap, execution }: StartEval, { model }: EvalConfigResource): void {
    if ((cap ?? null) === null || execution === 'external') return;
    if (model !== null && findPrice(this.pricing, model)) return;
    const message = `cannot be kept, since the model ${JSON.stringify(model)} has no price; see pricing in the configuration`;
    throw invalidRequest([{ path: 'max_cost_usd', message }]);
  }

  /**
   * A judge is asked by a connection, which an external run does not have itself; vectors are made by a model of embeddings, which the
   * model of a run is not. @throws Invalid with all faults.
   */
  private assertJudges(
    { scorers: listed }: StartEval,
    config: EvalConfigResource,
    scorers: readonly RunScorer[],
    connections: ReadonlyMap<string, UsableConnection>,
  ): void {
    const faults = scorers.flatMap(({ scoring, judge }, index): FieldError[] => {
      const extension = this.findScorer(scoring)?.extension;
      if (!extension?.asksJudge && !extension?.embeds) return [];
      const at = listed ? `scorers[${index}].judge` : 'config.judge';
      const id = judge?.connection_id ?? config.judge?.connection_id ?? config.connection_id;
      if (id === null) {
        const message = `is required: ${scoring} asks a judge, and there is no other connection`;
        return [{ path: `${at}.connection_id`, message }];
      }
      const model = judge?.model ?? config.judge?.model ?? null;
      if (model === null && config.model === null) {
        return [{ path: `${at}.model`, message: "is required, since the judge's connection has no default_model" }];
      }
      if (!extension.embeds) return [];
      if (model === null)
        return [{ path: `${at}.model`, message: `is required: ${scoring} asks a model of embeddings` }];
      const { provider: used } = connections.get(id)!;
      const provider = this.plugins.providers.find(({ name }) => name === used);
      if (!provider || provider.extension.embeddings) return [];
      const message = `must be of a connection that makes embeddings, which the provider ${used} does not`;
      return [{ path: `${at}.connection_id`, message }];
    });
    if (faults.length > 0) throw invalidRequest(faults);
  }
}

/** Throws faults of a run's `config` as those of a rule, which has its members itself. */
async function withoutConfig<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Invalid) || !error.errors) throw error;
    throw invalidRequest(error.errors.map(({ path, message }) => ({ path: path.replace(/^config\./, ''), message })));
  }
}

/** The pass score of a scorer whose scores are grades, unless given. */
const GRADE_THAT_PASSES = 0.5;

/** A judge as a run keeps it. A temperature of `null` is one that was given. */
const completeJudge = (judge: NonNullable<EvalConfig['judge']>): NonNullable<RunScorer['judge']> => ({
  connection_id: judge.connection_id ?? null,
  model: judge.model ?? null,
  rubric: judge.rubric ?? null,
  ...(judge.temperature !== undefined && { temperature: judge.temperature }),
});

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
    const startHash = request.id ? await largeRequestHash({ ...request, dataset_id: datasetId }) : null;
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
        baselineRunId: body.baseline_run_id ?? null,
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
