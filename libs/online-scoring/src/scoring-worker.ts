import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import {
  BackgroundTasks,
  LOGGER,
  METRICS,
  newId,
  projectScope,
  registerSourceGauges,
  type Logger,
  type PeriodicTask,
} from '@spandrel/kernel';
import { ScoreStore } from '@spandrel/scores';
import { FindTarget } from './find-target.js';
import { JudgeTarget } from './judge-target.js';
import { ScoringSettings } from './online-scoring.settings.js';
import { RecordJudgement, type Outcome } from './record-judgement.js';
import type { ScoringRuleRow, ScoringTaskRow } from './scoring-rule.entity.js';
import { isSampled, readFilters, scoreIdOf } from './scoring-rule-resource.js';
import { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';
import { LEASE_MS, TakeTasks } from './take-tasks.js';

/** How often tasks are looked for unasked: those put off, and those of an instance that ended. */
const POLL_MS = 1_000;
const GATHER_MS = 20;
const PRUNE_MS = 3_600_000;
/** What judgements under way get to end when the process stops; they are made again by the next one otherwise. */
const DRAIN_MS = 5_000;

/** Failures in a row after which a connection is asked one thing at a time, and how long nothing is asked after each. */
const FAILURES_MAX = 3;
const PAUSE_MS = 5_000;

/** The judgements that ask by one connection: a provider that hangs holds up those of its own rules alone. */
class Lane {
  underWay = 0;
  private failures = 0;
  private pausedUntil = 0;

  /** How many more may begin. @param share of the connection. @param now in ms. */
  room(share: number, now: number): number {
    if (this.failures < FAILURES_MAX) return share - this.underWay;
    return this.underWay === 0 && now >= this.pausedUntil ? 1 : 0;
  }

  note(hasFailed: boolean, now: number): void {
    this.failures = hasFailed ? this.failures + 1 : 0;
    this.pausedUntil = now + PAUSE_MS;
  }
}

/** Judges in the background, on any instance: woken when something is noted, when a judgement ends, and now and then. */
@Injectable()
export class ScoringWorker implements BeforeApplicationShutdown {
  private readonly owner = newId();
  private readonly lanes = new Map<string, Lane>();
  private readonly underWay = new Map<ScoringTaskRow, Promise<void>>();
  private readonly killed = new AbortController();
  private readonly worker: PeriodicTask;
  private readonly judgements: Counter<'outcome'>;

  constructor(
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
    private readonly take: TakeTasks,
    private readonly targets: FindTarget,
    private readonly judge: JudgeTarget,
    private readonly record: RecordJudgement,
    private readonly scores: ScoreStore,
    private readonly settings: ScoringSettings,
    @Inject(METRICS) registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
    background: BackgroundTasks,
  ) {
    this.judgements = new Counter({
      name: 'spandrel_scoring_judgements_total',
      help: 'What scoring rules judged, by outcome.',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    for (const outcome of ['scored', 'failed']) this.judgements.inc({ outcome }, 0);
    registerSourceGauges(registry, () => tasks.countWaiting(), [
      {
        name: 'spandrel_scoring_tasks_waiting',
        help: 'What scoring rules have yet to judge, on all instances.',
        samples: (value) => [{ value }],
      },
    ]);
    const failure = 'nothing is scored by rules for now; trying again soon';
    this.worker = background.add({
      ...{ everyMs: POLL_MS, firstMs: 0, gatherMs: GATHER_MS, failure },
      task: (stopped) => this.takeDue(stopped),
    });
    background.add({
      ...{ everyMs: LEASE_MS / 4, failure: 'leases of scoring tasks cannot be renewed now' },
      task: () => this.tasks.renew([...this.underWay.keys()], this.owner, Date.now() + LEASE_MS),
    });
    background.add({
      ...{ everyMs: PRUNE_MS, failure: 'old scoring tasks cannot be deleted now' },
      task: () => this.tasks.prune(Date.now()),
    });
  }

  wake(): void {
    this.worker.hurry();
  }

  /** Waits a little for judgements under way; what is left of them is taken again when its lease has ended. */
  async beforeApplicationShutdown(): Promise<void> {
    const kill = setTimeout(() => this.killed.abort(new Error('the process is stopping')), DRAIN_MS);
    await Promise.all(this.underWay.values());
    clearTimeout(kill);
  }

  private async takeDue(stopped: AbortSignal): Promise<void> {
    const { callsMax } = this.settings;
    const busy = await this.rules.busy(Date.now());
    if (busy.length === 0) return;
    const share = Math.max(1, Math.floor(callsMax / Math.max(1, await this.rules.countConnections())));
    for (const { projectId, id, connectionId } of busy) {
      const now = Date.now();
      const lane = this.lanes.getOrInsertComputed(`${projectId} ${connectionId ?? ''}`, () => new Lane());
      const limit = Math.min(lane.room(share, now), callsMax - this.underWay.size);
      if (stopped.aborted || limit <= 0) continue;
      const { rule, taken } = await this.take.execute(projectScope(projectId), id, { owner: this.owner, limit, now });
      for (const task of taken) this.begin(rule!, task, lane);
    }
  }

  private begin(rule: ScoringRuleRow, task: ScoringTaskRow, lane: Lane): void {
    lane.underWay++;
    const work = this.work(rule, task, lane)
      .catch((error: unknown) => {
        // The lease ends, and it is taken again.
        if (!this.killed.signal.aborted)
          this.logger.error({ err: error, rule_id: rule.id, target_id: task.targetId }, 'a judgement is not recorded');
      })
      .finally(() => {
        lane.underWay--;
        this.underWay.delete(task);
        this.wake();
      });
    this.underWay.set(task, work);
  }

  private async work(rule: ScoringRuleRow, task: ScoringTaskRow, lane: Lane): Promise<void> {
    const scope = projectScope(rule.projectId);
    const came = await this.record.execute(scope, task, await this.judgeTask(rule, task, lane), Date.now());
    if (came !== undefined) this.judgements.inc({ outcome: came });
    if (came === 'failed')
      this.logger.warn({ rule_id: rule.id, target_id: task.targetId }, 'a scoring rule gave no score');
  }

  private async judgeTask(rule: ScoringRuleRow, { targetId }: ScoringTaskRow, lane: Lane): Promise<Outcome> {
    const scope = projectScope(rule.projectId);
    const isOfSpan = rule.target === 'span';
    const target = await this.targets.find(scope, isOfSpan ? 'span' : (rule.target as 'trace'), targetId);
    // What still runs is noted again at its end; the sample may be another one since it was noted.
    if (!target || target.isRunning || !isSampled(rule, target.sampledBy)) return { type: 'dropped' };
    const quietAt = Math.min(target.endedAt, Date.now()) + rule.quietMs;
    if (!isOfSpan && quietAt > Date.now()) return { type: 'put_off', until: quietAt };
    if ((await this.targets.findFailedFilter(scope, readFilters(rule), target)) !== undefined)
      return { type: 'dropped' };
    if (isOfSpan && (await this.scores.find(scope, scoreIdOf(rule.id, targetId)))) return { type: 'dropped' };
    const { result, calls, hasCallFailed } = await this.judge.execute(scope, rule, target, this.killed.signal);
    if (calls.length > 0 || hasCallFailed) lane.note(hasCallFailed, Date.now());
    return { type: 'judged', result, target };
  }
}
