import { Inject, Injectable } from '@nestjs/common';
import { Connections, ConnectionUnusable, type OpenConnection } from '@spandrel/connections';
import { DatasetSnapshots, type SnapshotDatapoint } from '@spandrel/datasets';
import { LOGGER, PLUGINS, projectScope, type Logger, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { EvalsSettings } from '../evals.settings.js';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { ChangeRun } from '../change-run.js';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { RunKey } from '../eval-run.store.js';
import { executeItem, maskResult, unrecordable, type ItemResult, type PreparedRun } from './execute-item.js';
import type { NotedCall } from './note-call.js';
import { patiently } from './patiently.js';
import { PendingItems } from './pending-items.js';
import { Permits } from './permits.js';
import { RecordItems, type ItemStep, type StepAnswer } from './record-items.js';
import { scoringConfig } from '../run-plan.js';
import { runConfig } from '../run-resource.js';
import type { ConfiguredScorer } from './score-output.js';
import { WriteItemTrace } from './write-item-trace.js';

export interface ExecuteRunOptions {
  /** The process that holds the run's lease. */
  owner: string;
  /** No further item is begun. */
  stop: AbortSignal;
  /** Calls in flight are given up. */
  kill: AbortSignal;
}

/** What stands in the way of a run as a whole. */
class RunFailure extends Error {}

/** Works through the unfinished items of a run (docs/spec/evaluations.md#how-many-items-at-once). */
@Injectable()
export class ExecuteRun {
  constructor(
    private readonly connections: Connections,
    private readonly snapshots: DatasetSnapshots,
    private readonly results: EvalResultStore,
    private readonly record: RecordItems,
    private readonly change: ChangeRun,
    private readonly permits: Permits,
    private readonly traces: WriteItemTrace,
    @Inject(PRICING) private readonly pricing: PricingTable,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
    private readonly settings: EvalsSettings,
    private readonly masking: ProjectMasking,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Calls every unfinished item, `evals.concurrency` at once. Returns when none is left, when the run is no longer this
   * owner's to work on (cancelled, deleted, taken over), or when told to stop. A run that cannot go on fails.
   * @throws what the database throws.
   */
  async execute(run: EvalRunRow, options: ExecuteRunOptions): Promise<void> {
    const scope = projectScope(run.projectId);
    let prepared: PreparedRun;
    try {
      prepared = await this.prepare(scope, run);
    } catch (error) {
      if (!(error instanceof RunFailure) && !(error instanceof ConnectionUnusable)) throw error;
      await this.change.fail(run, error.message, Date.now());
      return;
    }
    const items = new PendingItems(this.snapshots, this.results, scope, run);
    const slots = Math.min(this.settings.concurrency, run.total - run.progress);
    const ended = await Promise.allSettled(
      Array.from({ length: slots }, () => this.slot(run, prepared, items, options)),
    );
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** One item after the other: an item is called once the one before is durable. */
  private async slot(
    run: EvalRunRow,
    prepared: PreparedRun,
    items: PendingItems,
    options: ExecuteRunOptions,
  ): Promise<void> {
    const { kill } = options;
    let current = await this.next(run, items, options, undefined);
    while (current !== undefined) {
      let result: ItemResult;
      try {
        result = await this.call(run, prepared, current, kill);
      } catch (error) {
        if (kill.aborted) return;
        throw error;
      }
      current = await this.next(run, items, options, { datapointId: current.id, result });
    }
  }

  /** Calls and scores an item; what was sent and answered is durable as a trace, where the run makes them, when it returns. */
  private call(
    run: EvalRunRow,
    prepared: PreparedRun,
    { id, kind }: SnapshotDatapoint,
    kill: AbortSignal,
  ): Promise<ItemResult> {
    const masking = this.masking.of(projectScope(run.projectId));
    if (masking !== null || prepared.trace) return this.callAndTrace(run, prepared, { id, kind }, kill);
    return executeItem(prepared, kind, this.pricing, { permits: this.permits, signal: kill });
  }

  /** Calls like {@link call}, for a run that makes traces or a project that has rules, or may have. */
  private async callAndTrace(
    run: EvalRunRow,
    prepared: PreparedRun,
    { id, kind }: SnapshotDatapoint,
    kill: AbortSignal,
  ): Promise<ItemResult> {
    const calls: NotedCall[] = [];
    const options = { permits: this.permits, signal: kill, note: (call: NotedCall) => void calls.push(call) };
    const patience = { kill, failed: this.notStored(run) };
    const masking = await patiently(async () => this.masking.of(projectScope(run.projectId)), patience);
    const scored = await executeItem(prepared, kind, this.pricing, options, masking);
    const result = masking ? maskResult(masking, scored) : scored;
    if (!prepared.trace) return result;
    try {
      return { ...result, traceId: await patiently(() => this.traces.execute(run, id, calls), patience) };
    } catch (error) {
      if (kill.aborted) throw error;
      this.logger.error({ err: error, run_id: run.id, datapoint_id: id }, 'an item is left without its trace');
      return result;
    }
  }

  /** Records what is finished and begins the next item. @returns it; `undefined` when there is none for this slot. */
  private async next(
    run: EvalRunRow,
    items: PendingItems,
    { owner, stop, kill }: ExecuteRunOptions,
    finished: ItemStep['finished'],
  ): Promise<SnapshotDatapoint | undefined> {
    const next = stop.aborted ? undefined : await items.next();
    if (next === undefined && finished === undefined) return undefined;
    const step: ItemStep = { run, owner, now: Date.now() };
    if (finished) step.finished = finished;
    if (next) step.next = next.id;
    const { begun } = await this.recordPatiently(step, kill);
    return begun ? next : undefined;
  }

  /** A result that can never be written fails its item, lest the item be called for ever. */
  private async recordPatiently(step: ItemStep, kill: AbortSignal): Promise<StepAnswer> {
    const patience = { kill, failed: this.notStored(step.run) };
    try {
      return await patiently(() => this.record.execute(step), patience);
    } catch (error) {
      if (kill.aborted || !step.finished) throw error;
      const finished = { ...step.finished, result: unrecordable(step.finished.result) };
      return patiently(() => this.record.execute({ ...step, finished }), patience);
    }
  }

  private notStored =
    ({ id }: RunKey) =>
    (error: unknown): void =>
      this.logger.warn({ err: error, run_id: id }, 'a result could not be stored; trying again');

  private async prepare(scope: Scope, run: EvalRunRow): Promise<PreparedRun> {
    const config = runConfig(run);
    const connection = await this.connections.open(scope, config.connection_id!);
    const judgeConnection: OpenConnection =
      run.judgeConnectionId === null ? connection : await this.connections.open(scope, run.judgeConnectionId);
    return {
      connection,
      model: config.model!,
      systemPrompt: config.system_prompt,
      temperature: config.temperature ?? undefined,
      maxTokens: config.max_tokens ?? undefined,
      scorer: this.scorerOf(run),
      judge: {
        connection: judgeConnection,
        model: config.judge?.model ?? config.model!,
        rubric: config.judge?.rubric ?? undefined,
      },
      trace: config.trace,
    };
  }

  private scorerOf(run: EvalRunRow): ConfiguredScorer {
    const scorer = this.plugins.scorers.find(({ name }) => name === run.scoring);
    if (!scorer) throw new RunFailure(`the scoring plugin ${run.scoring} is not loaded`);
    const checked = scorer.configure(scoringConfig(run));
    if (!('faults' in checked)) return { name: scorer.name, scorer: scorer.extension, config: checked.config };
    const faults = checked.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new RunFailure(`the scoring plugin ${run.scoring} no longer takes the run's scoring_config: ${faults}`);
  }
}
