import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { Unavailable, type BackgroundTasks, type Logger } from '@spandrel/kernel';
import type { ScoreStore } from '@spandrel/scores';
import type { Storage } from '@spandrel/storage';
import type { FindTarget } from './find-target.js';
import type { JudgeTarget } from './judge-target.js';
import type { ScoringSettings } from './online-scoring.settings.js';
import type { Ended, RecordJudgement } from './record-judgement.js';
import type { ScoringRuleRow, ScoringTaskRow } from './scoring-rule.entity.js';
import type { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';
import { Lane, ScoringWorker } from './scoring-worker.js';
import type { TakeTasks } from './take-tasks.js';

const rule = (id: string): ScoringRuleRow =>
  ({ projectId: 'p', id, connectionId: 'c', target: 'span', filters: '{}' }) as unknown as ScoringRuleRow;

/** A worker whose rules have so many tasks; what it finds of them is gone by then. */
class Bench {
  readonly waiting: Record<string, number> = {};
  readonly taken: string[] = [];
  readonly recorded: string[] = [];
  /** What recording and taking do before they go on. */
  onRecord: (ruleId: string) => unknown = () => undefined;
  onTake: (ruleId: string) => unknown = () => undefined;
  /** When a judgement ends. */
  onJudge: (task: ScoringTaskRow) => unknown = () => undefined;
  readonly worker: ScoringWorker;
  private goOn!: (stopped: AbortSignal) => Promise<void>;
  private readonly stop = new AbortController();
  private round: Promise<void> | undefined;

  constructor(callsMax: number) {
    const rules = {
      busy: async () =>
        Object.keys(this.waiting)
          .filter((id) => this.waiting[id]! > 0)
          .map(rule),
      countConnections: async () => 1,
      findForWrite: async (_tx: unknown, _scope: unknown, id: string) => rule(id),
      count: () => undefined,
    };
    const take = async (_tx: unknown, { id: ruleId }: ScoringRuleRow, { limit }: { limit: number }) => {
      if (limit <= 0) return [];
      await this.onTake(ruleId);
      const many = Math.min(limit, this.waiting[ruleId] ?? 0);
      this.waiting[ruleId]! -= many;
      this.taken.push(...Array.from({ length: many }, () => ruleId));
      return Array.from({ length: many }, (_, n) => ({ ruleId, targetId: `${n}` }));
    };
    const record = async (tx: string[], _scope: unknown, { id }: ScoringRuleRow, ended: readonly Ended[]) => {
      if (ended.length === 0) return;
      await this.onRecord(id);
      tx.push(...ended.map(() => id));
    };
    const write = async (work: (tx: string[]) => Promise<unknown>) => {
      const tx: string[] = [];
      const result = await work(tx);
      this.recorded.push(...tx);
      return result;
    };
    this.worker = new ScoringWorker(
      { write } as unknown as Storage,
      rules as unknown as ScoringRuleStore,
      {} as ScoringTaskStore,
      { execute: take } as unknown as TakeTasks,
      {
        find: async (_scope: unknown, _target: unknown, id: string) =>
          void (await this.onJudge({ targetId: id } as ScoringTaskRow)),
      } as unknown as FindTarget,
      {} as JudgeTarget,
      { execute: record } as unknown as RecordJudgement,
      {} as ScoreStore,
      { callsMax } as ScoringSettings,
      new Registry(),
      { warn: () => undefined, error: () => undefined } as unknown as Logger,
      {
        add: ({ task }: { task: Bench['goOn'] }) => ((this.goOn ??= task), { hurry: () => undefined }),
      } as unknown as BackgroundTasks,
    );
  }

  /** Has the worker look again and again until something holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.stop.signal.aborted) {
      this.round ??= this.goOn(this.stop.signal)
        .catch(() => undefined)
        .finally(() => (this.round = undefined));
      await pause(5);
    }
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.round;
  }
}

describe('ScoringWorker', () => {
  let bench: Bench;
  afterEach(() => bench.end());

  it('shares the room of a connection among its rules', async () => {
    bench = new Bench(4);
    bench.onJudge = () => new Promise(() => {});
    Object.assign(bench.waiting, { a: 1_000, b: 1_000 });
    await bench.until(() => bench.taken.length > 0);
    expect(bench.taken.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('records what ends at one time in one transaction', async () => {
    bench = new Bench(8);
    const answered = Promise.withResolvers<void>();
    bench.onJudge = () => answered.promise;
    bench.waiting.a = 8;
    await bench.until(() => bench.taken.length === 8);
    let transactions = 0;
    bench.onRecord = () => transactions++;
    answered.resolve();
    await bench.until(() => bench.recorded.length === 8);
    expect(transactions).toBe(1);
  });

  it('gives what gets free to the rule that has waited longest', async () => {
    bench = new Bench(3);
    const open: (() => void)[] = [];
    bench.onJudge = () => new Promise<void>((resolve) => void open.push(resolve));
    bench.waiting.a = 1_000;
    await bench.until(() => open.length === 3);
    expect(bench.taken).toEqual(['a', 'a', 'a']);
    bench.waiting.b = 1_000;
    for (let taken = 4; taken <= 7; taken++) {
      open.shift()!();
      await bench.until(() => bench.taken.length === taken);
    }
    expect(bench.taken.slice(3)).toEqual(['b', 'a', 'b', 'a']);
  });

  it('goes on with other rules while one waits for a lock', async () => {
    bench = new Bench(4);
    Object.assign(bench.waiting, { a: 1, b: 1 });
    const lock = Promise.withResolvers<void>();
    bench.onRecord = (id) => (id === 'a' ? lock.promise : undefined);
    await bench.until(() => bench.recorded.length === 1);
    bench.waiting.b = 2;
    await bench.until(() => bench.recorded.length === 3);
    lock.resolve();
    await bench.until(() => bench.recorded.length === 4);
    expect(bench.recorded).toEqual(['b', 'b', 'b', 'a']);
  });

  it('keeps what could not be recorded for a later round, and goes on with other rules', async () => {
    bench = new Bench(4);
    Object.assign(bench.waiting, { a: 1, b: 1 });
    let failures = 0;
    bench.onRecord = (id) => {
      if (id === 'a' && failures++ === 0) throw new Unavailable('locked');
    };
    await bench.until(() => bench.recorded.length === 2);
    expect(bench.recorded).toEqual(['b', 'a']);
  });

  it('records a judgement without what cannot be taken with it', async () => {
    bench = new Bench(4);
    bench.waiting.a = 1;
    let takes = 0;
    bench.onTake = () => {
      if (++takes > 1) throw new Error('no task can be read');
    };
    const answered = Promise.withResolvers<void>();
    bench.onJudge = () => answered.promise;
    await bench.until(() => bench.taken.length === 1);
    bench.waiting.a = 1;
    answered.resolve();
    await bench.until(() => bench.recorded.length > 0);
  });
});

describe('Lane', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('asks a connection that failed again after 5 s, also where the clock of the machine is set back', () => {
    const lane = new Lane();
    for (let failures = 0; failures < 3; failures++) lane.note(true);
    expect(lane.room(4)).toBe(0);
    const [wall, steady] = [Date.now(), performance.now()];
    jest.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000);
    jest.spyOn(performance, 'now').mockReturnValue(steady + 5_001);
    expect(lane.room(4)).toBe(1);
  });
});

describe('ScoringTaskStore', () => {
  it('renews tasks in the order in which they are locked elsewhere', async () => {
    const renewed: string[] = [];
    const em = {
      nativeUpdate: async (_of: unknown, task: ScoringTaskRow) => void renewed.push(task.ruleId + task.targetId),
    };
    const storage = { write: (work: (tx: unknown) => Promise<void>) => work({ em }) } as unknown as Storage;
    const tasks = ['b2', 'a2', 'b1', 'a1'].map(([ruleId, targetId]) => ({ projectId: 'p', ruleId, targetId }));
    await new ScoringTaskStore(storage).renew(tasks as ScoringTaskRow[], 'me', 0);
    expect(renewed).toEqual(['a1', 'a2', 'b1', 'b2']);
  });
});
