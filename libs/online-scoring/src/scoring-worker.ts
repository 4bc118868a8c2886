import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { getOrMake } from '@spandrel/contract';
import {
  BackgroundTasks,
  LOGGER,
  METRICS,
  newId,
  projectScope,
  registerSourceGauges,
  Unavailable,
  type Logger,
  type PeriodicTask,
  type Scope,
} from '@spandrel/kernel';
import { ScoreStore } from '@spandrel/scores';
import { Storage } from '@spandrel/storage';
import { FindTarget } from './find-target.js';
import { JudgeTarget } from './judge-target.js';
import { ScoringSettings } from './online-scoring.settings.js';
import { RecordJudgement, type Ended, type Outcome } from './record-judgement.js';
import type { ScoringRuleRow, ScoringTaskRow } from './scoring-rule.entity.js';
import { isSampled, readFilters, scoreIdOf } from './scoring-rule-resource.js';
import { ScoringRuleStore, type Counted } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';
import { LEASE_MS, TakeTasks } from './take-tasks.js';

/** How often tasks are looked for unasked: those put off, and those of an instance that ended. */
const POLL_MS = 1_000;
/** How long ends of judgements wait for others, which are then recorded in one transaction, with which the next are taken. */
const GATHER_MS = 200;
const PRUNE_MS = 3_600_000;
/** Rules whose ends are recorded at once; each takes a connection to the database, and may wait for locks of others. */
const SETTLING_MAX = 4;
/** What judgements under way get to end when the process stops; they are made again by the next one otherwise. */
const DRAIN_MS = 5_000;

/** The longest pause until what has yet to end is looked at again. */
const LATE_MS_MAX = 300_000;

/** Failures in a row after which a connection is asked one thing at a time, and how long nothing is asked after each. */
const FAILURES_MAX = 3;
const PAUSE_MS = 5_000;

/** The judgements that ask by one connection: a provider that hangs holds up those of its own rules alone. */
export class Lane {
  /** With those that are being taken. */
  underWay = 0;
  private failures = 0;
  private pausedUntil = 0;

  /** How many more may begin. @param share of the connection. */
  room(share: number): number {
    if (this.failures < FAILURES_MAX) return share - this.underWay;
    return this.underWay === 0 && performance.now() >= this.pausedUntil ? 1 : 0;
  }

  note(hasFailed: boolean): void {
    this.failures = hasFailed ? this.failures + 1 : 0;
    this.pausedUntil = performance.now() + PAUSE_MS;
  }
}

/** Judges in the background, on any instance: woken when something is noted, when a judgement ends, and now and then. */
@Injectable()
export class ScoringWorker implements BeforeApplicationShutdown {
  private readonly owner = newId();
  private readonly lanes = new Map<string, Lane>();
  private readonly underWay = new Map<ScoringTaskRow, Promise<void>>();
  private readonly ended = new Map<ScoringTaskRow, Ended>();
  private readonly settling = new Map<string, Promise<void>>();
  /** When rules last had room; those that had more, later. */
  private readonly turns = new Map<string, number>();
  private readonly killed = new AbortController();
  private readonly worker: PeriodicTask;
  private readonly judgements: Counter<'outcome'>;

  constructor(
    private readonly storage: Storage,
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
      task: (stopped) => this.goOn(stopped),
    });
    background.add({
      ...{ everyMs: LEASE_MS / 4, failure: 'leases of scoring tasks cannot be renewed now' },
      task: () => this.tasks.renew([...this.underWay.keys(), ...this.ended.keys()], this.owner, Date.now() + LEASE_MS),
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
    await Promise.all(this.settling.values());
    const kill = setTimeout(() => this.killed.abort(new Error('the process is stopping')), DRAIN_MS);
    await Promise.all(this.underWay.values());
    clearTimeout(kill);
    await this.round(AbortSignal.abort()).catch((error: unknown) =>
      this.logger.error({ err: error }, 'judgements are not recorded'),
    );
    await Promise.all(this.settling.values());
  }

  /** What ends soon is recorded with what is taken next; what takes longer wakes the worker. */
  private async goOn(stopped: AbortSignal): Promise<void> {
    do {
      await this.round(stopped);
      const gathered = pause(GATHER_MS, undefined, { ref: false });
      await Promise.race([gathered, Promise.all(this.underWay.values())]);
    } while (this.ended.size > 0 && !stopped.aborted);
  }

  /** Records what has ended, and takes what is due; a transaction a rule, which does not wait long for those of others. */
  private async round(stopped: AbortSignal): Promise<void> {
    const { callsMax } = this.settings;
    const left = (): number => [...this.lanes.values()].reduce((rest, { underWay }) => rest - underWay, callsMax);
    const busy = left() > 0 && !stopped.aborted ? await this.rules.busy(Date.now()) : [];
    if (this.ended.size === 0 && busy.length === 0) return;
    const share = Math.max(1, Math.floor(callsMax / Math.max(1, await this.rules.countConnections())));
    const ended = Map.groupBy(this.ended.values(), ({ rule }) => keyOf(rule));
    const turnOf = (rule: ScoringRuleRow): number => this.turns.get(keyOf(rule)) ?? 0;
    const free = [...[...ended.values()].map(([first]) => first!.rule), ...busy]
      .filter((rule) => !this.settling.has(keyOf(rule)))
      .toSorted((a, b) => turnOf(a) - turnOf(b));
    const rules = new Map(free.map((rule) => [keyOf(rule), rule]));
    const due = Map.groupBy(
      [...rules.values()].filter((rule) => busy.includes(rule)),
      laneOf,
    );
    for (const [key, rule] of rules) {
      if (this.settling.size >= SETTLING_MAX) await Promise.race(this.settling.values());
      const lane = getOrMake(this.lanes, laneOf(rule), () => new Lane());
      const waiting = due.get(laneOf(rule)) ?? [];
      const room = Math.max(0, Math.min(lane.room(share), left()));
      const limit = waiting[0] === rule ? Math.ceil(room / waiting.length) : 0;
      if (waiting[0] === rule) waiting.shift();
      if (limit > 0) this.turns.set(key, performance.now() + limit);
      lane.underWay += limit;
      // Traces that go on lock their tasks in one order, which ends and takes together would not keep.
      const ends = ended.get(key) ?? [];
      const settled = this.settle(rule, rule.target === 'span' ? [] : ends.splice(0), 0, lane)
        .then(() => this.settle(rule, ends, limit, lane))
        .catch((error: unknown) => {
          this.logger.warn({ err: error, rule_id: rule.id }, 'a rule cannot go on now; trying again soon');
          return pause(POLL_MS, undefined, { ref: false, signal: stopped }).catch(() => undefined);
        })
        .finally(() => {
          lane.underWay -= limit;
          this.settling.delete(key);
        });
      this.settling.set(key, settled);
    }
    await Promise.race([pause(GATHER_MS, undefined, { ref: false }), Promise.all(this.settling.values())]);
  }

  private async settle(rule: ScoringRuleRow, ended: readonly Ended[], limit: number, lane: Lane): Promise<void> {
    if (ended.length === 0 && limit <= 0) return;
    const scope = projectScope(rule.projectId);
    const now = Date.now();
    try {
      const { current, counts, taken } = await this.storage.write(async (tx) => {
        const added: Counted = {};
        const locked = await this.rules.findForWrite(tx, scope, rule.id);
        if (!locked) return { current: rule, counts: added, taken: [] };
        await this.record.execute(tx, scope, locked, ended, { counts: added, now });
        const options = { owner: this.owner, limit, counts: added, now };
        const next = await this.take.execute(tx, locked, options);
        this.rules.count(tx, scope, new Map([[rule.id, added]]), now);
        return { current: { ...locked }, counts: added, taken: next };
      });
      for (const { task } of ended) this.ended.delete(task);
      for (const outcome of ['scored', 'failed'] as const) this.judgements.inc({ outcome }, counts[outcome] ?? 0);
      if (counts.failed) this.logger.warn({ rule_id: rule.id, count: counts.failed }, 'a scoring rule gave no score');
      for (const task of taken) this.begin(current, task, lane);
    } catch (error) {
      if (ended.length === 0 || error instanceof Unavailable) throw error;
      if (ended.length > 1 || limit > 0) {
        for (const each of ended) await this.settle(rule, [each], 0, lane);
        return;
      }
      // The lease ends, and it is taken again.
      this.ended.delete(ended[0]!.task);
      this.failed(rule, ended[0]!.task, error);
    }
  }

  private failed(rule: ScoringRuleRow, { targetId }: ScoringTaskRow, error: unknown): void {
    const details = { err: error, rule_id: rule.id, target_id: targetId };
    if (!this.killed.signal.aborted) this.logger.error(details, 'a judgement is not recorded');
  }

  private begin(rule: ScoringRuleRow, task: ScoringTaskRow, lane: Lane): void {
    lane.underWay++;
    const work = this.judgeTask(rule, task, lane)
      .then(
        (outcome) => void this.ended.set(task, { rule, task, outcome }),
        // The lease ends, and it is taken again.
        (error: unknown) => this.failed(rule, task, error),
      )
      .finally(() => {
        lane.underWay--;
        this.underWay.delete(task);
        this.wake();
      });
    this.underWay.set(task, work);
  }

  private async judgeTask(rule: ScoringRuleRow, task: ScoringTaskRow, lane: Lane): Promise<Outcome> {
    const { targetId } = task;
    const scope = projectScope(rule.projectId);
    const isOfSpan = rule.target === 'span';
    const target = await this.targets.find(scope, isOfSpan ? 'span' : (rule.target as 'trace'), targetId);
    // What ends is noted again, but not for the sake of a score that was given before.
    if (rule.trigger === 'score' && (target ? target.isRunning : await this.isExpected(scope, rule, targetId)))
      return { type: 'put_off', until: Date.now() + pauseAfter(Date.now() - task.notedAt) };
    // The sample may be another one since it was noted.
    if (!target || target.isRunning || !isSampled(rule, target.sampledBy)) return { type: 'dropped' };
    const quietAt = Math.min(target.endedAt, Date.now()) + rule.quietMs;
    if (!isOfSpan && quietAt > Date.now()) return { type: 'put_off', until: quietAt };
    if ((await this.targets.findFailedFilter(scope, readFilters(rule), target)) !== undefined)
      return { type: 'dropped' };
    if (isOfSpan && (await this.scores.find(scope, scoreIdOf(rule.id, targetId)))) return { type: 'dropped' };
    const { result, calls, hasCallFailed } = await this.judge.execute(scope, rule, target, this.killed.signal);
    if (calls.length > 0 || hasCallFailed) lane.note(hasCallFailed);
    const given = await this.record.scoreOf(scope, task, result, target);
    return { type: 'judged', result: { ...result, error: await this.record.errorOf(scope, result) }, given };
  }

  /** Whether a span has a score though it has not come yet. */
  private async isExpected(scope: Scope, { target }: ScoringRuleRow, spanId: string): Promise<boolean> {
    if (target !== 'span') return false;
    const { items } = await this.scores.list(scope, { span_id: spanId, limit: 100 });
    return items.some(({ isAwaiting }) => isAwaiting === 1);
  }
}

/** When what has yet to end is looked at again: after as long as it has been waited for. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs, POLL_MS), LATE_MS_MAX);

const keyOf = ({ projectId, id }: ScoringRuleRow): string => `${projectId} ${id}`;
const laneOf = ({ projectId, connectionId }: ScoringRuleRow): string => `${projectId} ${connectionId ?? ''}`;
