/** Runs of two instances on one Postgres: dispatched with their transaction, handed over, taken over, cancelled anywhere. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EvalsSettings } from '@spandrel/evals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { EvalRunResource, EventPayload } from '@spandrel/contract';
import { createLogger, newId } from '@spandrel/kernel';
import { openStorage, sql, type Sql } from '@spandrel/storage';
import { PgBossDatabase } from '../../libs/evals/src/dispatch/pg-boss-database.sql.js';
import { RunJobs } from '../../libs/evals/src/dispatch/pg-boss-dispatch.js';
import {
  RUN_DISPATCH,
  RUN_TIMING,
  runTiming,
  type RunDispatch,
  type RunTiming,
} from '../../libs/evals/src/dispatch/run-dispatch.js';
import { RunWorker } from '../../libs/evals/src/execution/execute-run.js';
import { isWaiting } from '../fake-provider/start-fake-provider.ts';
import { openLink, type Link } from '../support/cut-link.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { EvalsLab } from './evals-lab.ts';
import { anyRows } from '../support/any-rows.ts';

const CONCURRENCY = 4;

let postgres: TestPostgres | undefined;
let url = '';
let labs: EvalsLab[] = [];
const lines: string[] = [];
const opened: ServerApp[] = [];
const links: Link[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase('instances');
  // Both make the schema of the jobs.
  const [first, second] = await Promise.all([EvalsLab.open({ dialect: 'postgres', url }, options()), start()]);
  labs = [first, first.on(second)];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
  links.splice(0).forEach((link) => link.close());
});

afterAll(async () => {
  await labs[1]?.server.close();
  await labs[0]?.close();
  await postgres?.stop();
});

/** @param timing other than the instances' own. */
function options(timing: Partial<RunTiming> = {}): ServerAppOptions {
  return {
    logger: createLogger('info', 'test', { write: (line: string) => void lines.push(line) }),
    settings: (settings) => {
      settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7);
      settings.of(EvalsSettings).concurrency = CONCURRENCY;
    },
    prepare: (app) => void Object.assign(app.get<RunTiming>(RUN_TIMING), timing),
  };
}

const start = (timing?: Partial<RunTiming>, at = url): Promise<ServerApp> =>
  startServerApp({ dialect: 'postgres', url: at }, options(timing));

const query = <Row>(text: Sql): Promise<Row[]> => labs[0]!.server.storage.read(anyRows<Row>()`${text}`);

/** Who works on a run. */
async function ownerOf(runId: string): Promise<string | null> {
  const [row] = await query<{ owner: string | null }>(
    sql`select lease_owner as owner from eval_run where id = ${runId}`,
  );
  return row!.owner;
}

const jobsOf = (runId: string): Promise<{ state: string }[]> =>
  query(sql`select state from spandrel_jobs.job where data ->> 'id' = ${runId} order by created_on`);

/** All that instances announced of a run. */
const reportedOf = (runId: string, ...also: ServerApp[]): EventPayload[] =>
  [...labs.map(({ server }) => server), ...also]
    .flatMap(({ events }) => events.map(({ event }) => event))
    .filter((event) => 'run_id' in event && event.run_id === runId);

function expectReportedOnce(run: EvalRunResource, reported: EventPayload[]): void {
  const count = (type: EventPayload['type']): number => reported.filter((event) => event.type === type).length;
  expect([count('eval_started'), count('eval_completed')]).toEqual([1, 1]);
  const progress = reported.flatMap((event) => (event.type === 'eval_progress' ? [event.progress] : []));
  expect(progress.toSorted((a, b) => a - b)).toEqual(range(run.total).map((index) => index + 1));
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const questions = (name: string, count: number, does = 'fake:slow:80'): string[] =>
  range(count).map((index) => `${does} ${name} ${index}`);

/**
 * Starts a run that the lab's own server works on: any instance may be the first to ask for it, and then it is cancelled
 * and another one is started.
 * @returns once some of it is done; `texts` are its questions.
 */
async function startedHere(lab: EvalsLab, name: string, count: number, does?: string) {
  for (let attempt = 0; ; attempt++) {
    const texts = questions(`${name} ${attempt}`, count, does);
    const { id } = await lab.dataset(...texts);
    const { body: run } = await lab.start(id);
    await until(async () => (await lab.summary(run.id)).progress >= 8);
    const owner = await ownerOf(run.id);
    if (owner === lab.server.app.get(RunWorker).owner) return { runId: run.id, owner, texts };
    await lab.api.post(`/api/eval/${run.id}/cancel`, {});
  }
}

/** How often the provider was asked each of these questions, as far as it was. */
const askedOf = (lab: EvalsLab, texts: readonly string[]): [string, number][] =>
  [...lab.asked()].filter(([text]) => texts.includes(text));

describe('a run of two instances', () => {
  it('is dispatched with its transaction, or not at all', async () => {
    const { app, storage } = labs[0]!.server;
    const dispatch = app.get<RunDispatch>(RUN_DISPATCH);
    const run = { projectId: 'nobody', id: newId() };
    const losing = storage.write(async (tx) => {
      await dispatch.enqueue(tx, run);
      throw new Error('lost');
    });
    await expect(losing).rejects.toThrow('lost');
    expect(await jobsOf(run.id)).toEqual([]);
    await storage.write((tx) => dispatch.enqueue(tx, run));
    // There is no such run: its job is done with.
    await until(async () => (await jobsOf(run.id))[0]?.state === 'completed');
    expect(await jobsOf(run.id)).toHaveLength(1);
  });

  it('goes on at the other one at once when its own stops', async () => {
    const lab = labs[0]!.on(await start());
    const { runId, owner: first, texts } = await startedHere(lab, 'handed over', 40);
    await lab.server.close();
    const stoppedAt = (await labs[1]!.read(runId)).progress;
    await until(async () => (await labs[1]!.read(runId)).progress > stoppedAt);
    expect(await ownerOf(runId)).not.toBe(first);
    const run = await labs[1]!.ended(runId);
    expect(run).toMatchObject({ status: 'completed', progress: 40, failed_count: 0 });
    const asked = askedOf(lab, texts);
    expect(asked.map(([, count]) => count)).toEqual(asked.map(() => 1));
    expect(asked).toHaveLength(40);
    expectReportedOnce(run, reportedOf(runId, lab.server));
  });

  it('is taken over from one that is cut off; what that one still brings changes nothing', async () => {
    const link = await openLink(Number(new URL(url).port));
    links.push(link);
    const through = new URL(url);
    through.port = String(link.port);
    const timing = { leaseMs: 2_000, renewMs: 500, superviseSeconds: 1, pollMs: 200, heartbeatSeconds: 10 };
    const [lost, other] = await Promise.all([start(timing, through.href), start(timing)]);
    opened.push(lost, other);
    const lab = labs[0]!.on(lost);
    const { runId, owner: first, texts } = await startedHere(lab, 'taken over', 60, 'fake:slow:150');
    const before = await labs[0]!.read(runId);
    await until(() => lab.provider.requests.some(isWaiting));
    link.cut();
    // A tenth of a minute goes by for pg-boss; again, where a sign of life was still under way.
    const elapse = (): Promise<unknown> =>
      labs[0]!.server.storage.write((tx) =>
        tx.run(sql`update spandrel_jobs.job set heartbeat_on = heartbeat_on - interval '10 seconds'
          where data ->> 'id' = ${runId}`),
      );
    await until(async () => {
      const owner = await ownerOf(runId);
      if (owner === first) await elapse();
      return ![null, first].includes(owner);
    }, 15_000);
    link.mend();
    const run = await labs[0]!.ended(runId);
    expect(run).toMatchObject({ status: 'completed', progress: 60, total: 60, failed_count: 0 });
    const asked = askedOf(lab, texts);
    expect(asked).toHaveLength(60);
    const twice = asked.filter(([, count]) => count > 1).map(([text]) => text);
    expect(twice.length).toBeGreaterThan(0);
    expect(twice.length).toBeLessThanOrEqual(CONCURRENCY);
    const known = before.result_items.filter(({ status }) => status === 'completed').map(({ input }) => input);
    expect(known.length).toBeGreaterThanOrEqual(8);
    for (const input of known) expect(twice).not.toContain(input);
    // The cut one has put down its pen.
    await until(async () => (await jobsOf(runId)).every(({ state }) => state === 'completed'));
    expectReportedOnce(run, reportedOf(runId, lost, other).filter(isDurable));
  });

  it('stays where it is while its process lives, even when its job is given to another', async () => {
    const lab = labs[0]!.on(await start({ superviseSeconds: 1, pollMs: 60_000, renewMs: 15_000 }));
    opened.push(lab.server);
    const { id } = await lab.dataset(...questions('stays', 80, 'fake:slow:150'));
    const { body } = await lab.start(id);
    await until(async () => (await lab.summary(body.id)).progress >= 4);
    const first = await ownerOf(body.id);
    await lab.server.storage.write((tx) =>
      tx.run(sql`update spandrel_jobs.job set heartbeat_on = heartbeat_on - interval '1 minute'
        where data ->> 'id' = ${body.id}`),
    );
    // Another one got it, and has put it off.
    await until(async () => (await jobsOf(body.id)).length > 1);
    expect(await ownerOf(body.id)).toBe(first);
    const run = await lab.ended(body.id);
    expect(run).toMatchObject({ status: 'completed', progress: 80, failed_count: 0 });
    const asked = [...lab.asked()].filter(([text]) => text.includes('stays'));
    expect(asked.map(([, count]) => count)).toEqual(range(80).map(() => 1));
    expectReportedOnce(run, reportedOf(body.id, lab.server));
  });

  it('is cancelled at whichever one is asked', async () => {
    const lab = labs[0]!.on(await start());
    opened.push(lab.server);
    const { id } = await lab.dataset(...questions('cancelled', 40));
    const { body } = await lab.start(id);
    await until(async () => (await lab.summary(body.id)).progress >= 4);
    const cancelled = await labs[1]!.api.post<EvalRunResource>(`/api/eval/${body.id}/cancel`, {});
    expect(cancelled.body.status).toBe('cancelled');
    await until(async () => (await jobsOf(body.id))[0]?.state === 'completed');
    const run = await lab.read(body.id);
    expect(run.status).toBe('cancelled');
    // Four were in flight.
    expect(run.progress).toBeLessThanOrEqual(cancelled.body.progress + CONCURRENCY);
    const asked = [...lab.asked()].filter(([text]) => text.includes('cancelled'));
    expect(asked).toHaveLength(run.progress);
    expect(reportedOf(body.id, lab.server).filter(({ type }) => type === 'eval_cancelled')).toHaveLength(1);
  });

  it('is found again when its job is lost', async () => {
    const lab = labs[0]!.on(await start({ sweepMs: 300, pollMs: 200 }));
    opened.push(lab.server);
    const { id } = await lab.dataset('one', 'two');
    const run = await lab.run(id);
    const { storage } = lab.server;
    await storage.write(async (tx) => {
      await tx.run(sql`delete from eval_result where run_id = ${run.id}`);
      await tx.run(sql`delete from spandrel_jobs.job where data ->> 'id' = ${run.id}`);
      await tx.run(sql`update eval_run set status = 1, ended_at = null, progress = 0 where id = ${run.id}`);
    });
    expect(await lab.ended(run.id)).toMatchObject({ status: 'completed', progress: 2 });
  });

  it('goes on when the connections to the database break, each datapoint called once', async () => {
    const lab = labs[0]!;
    const { id } = await lab.dataset(...questions('broken', 30));
    const { body } = await lab.start(id);
    for (let time = 1; time <= 3; time++) {
      await until(async () => (await lab.summary(body.id)).progress >= time * 7);
      await query(
        sql`select pg_terminate_backend(pid)::text from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      ).catch(() => undefined);
    }
    const run = await lab.ended(body.id);
    expect(run).toMatchObject({ status: 'completed', progress: 30, failed_count: 0 });
    const asked = [...lab.asked()].filter(([text]) => text.includes('broken'));
    expect(asked.map(([, count]) => count)).toEqual(range(30).map(() => 1));
  });

  it('leaves nothing behind that grows: jobs that are through are kept for an hour', async () => {
    // A run's job that was put off is done with when its time comes.
    await labs[0]!.server.storage.write((tx) =>
      tx.run(sql`update spandrel_jobs.job set start_after = now() where state < 'active'`),
    );
    await until(async () => (await query(sql`select 1 from spandrel_jobs.job where state < 'completed'`)).length === 0);
    const [queue] = await query(
      sql`select policy, deletion_seconds as kept, heartbeat_seconds as heartbeat from spandrel_jobs.queue
        where name = 'eval-runs'`,
    );
    expect(queue).toMatchObject({ policy: 'exclusive', kept: 3_600 });
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});

describe('the queue of runs', () => {
  it('gives one project a hundred places at most, and others theirs', async () => {
    const storage = await openStorage(
      { dialect: 'postgres', url: await postgres!.createDatabase('places') },
      { entities: [], logger: createLogger('silent', 'test') },
    );
    const jobs = new RunJobs(new PgBossDatabase(storage), runTiming(true), {
      failed: (error) => expect(error).toBeUndefined(),
      warned: (message) => expect(message).toBeUndefined(),
    });
    try {
      await jobs.start();
      const runsOf = (projectId: string, count: number) => range(count).map((index) => ({ projectId, id: `${index}` }));
      const many = runsOf('greedy', 103);
      await storage.write(async (tx) => {
        for (const run of [...many, ...runsOf('modest', 2)]) await jobs.add(tx, run);
      });
      // They have jobs already.
      await jobs.addMissing(many);
      const taken = [...(await jobs.take(60)), ...(await jobs.take(250))];
      const greedy = taken.filter(({ data }) => data.projectId === 'greedy');
      expect(greedy).toHaveLength(100);
      expect(taken.filter(({ data }) => data.projectId === 'modest')).toHaveLength(2);
      expect(await jobs.take(250)).toEqual([]);
      const [first, second] = greedy;
      await jobs.settle(first!, undefined);
      await jobs.settle(second!, Date.now());
      const next = await jobs.take(250);
      expect(next.map(({ data }) => data.projectId)).toEqual(['greedy', 'greedy']);
      expect(next.map(({ data }) => data.id)).not.toContain(first!.data.id);
    } finally {
      await jobs.stop();
      await storage.close();
    }
  });

  it('has organizations take turns, within them projects, and gives one without any run a place beyond all', async () => {
    const storage = await openStorage(
      { dialect: 'postgres', url: await postgres!.createDatabase('turns') },
      { entities: [], logger: createLogger('silent', 'test') },
    );
    const jobs = new RunJobs(new PgBossDatabase(storage), runTiming(true), {
      failed: (error) => expect(error).toBeUndefined(),
      warned: (message) => expect(message).toBeUndefined(),
    });
    const add = (orgId: string, projectId: string, count: number): Promise<void> =>
      storage.write(async (tx) => {
        for (const _ of range(count)) await jobs.add(tx, { projectId, id: newId(), orgId });
      });
    const took = async (count: number, beyond = 0): Promise<string[]> =>
      (await jobs.take(count, beyond)).map(({ data }) => `${data.orgId}/${data.projectId}`);
    try {
      await jobs.start();
      await add('a', 'a1', 100);
      await add('a', 'a2', 2);
      await add('b', 'b1', 1);
      const first: string[] = [];
      for (let n = 0; n < 6; n++) first.push(...(await took(1)));
      // Each has had its turn when the first one has its second; of two projects the one that has none at work is first.
      expect(first).toEqual(['a/a1', 'b/b1', 'a/a2', 'a/a1', 'a/a2', 'a/a1']);
      await add('b', 'b1', 3);
      await add('c', 'c1', 3);
      // No place is free: an organization without a run gets one beyond, and no second one.
      expect(await took(0, 10)).toEqual(['c/c1']);
      expect(await took(0, 10)).toEqual([]);
      // Three of b and two of c wait, and a has had five turns: theirs come first.
      expect((await took(6)).toSorted()).toEqual(['a/a1', 'b/b1', 'b/b1', 'b/b1', 'c/c1', 'c/c1']);
      expect(await took(200)).toHaveLength(96);
    } finally {
      await jobs.stop();
      await storage.close();
    }
  });
});

/** The witness also sees what was emitted in a transaction that was lost with its connection. */
const isDurable = (event: EventPayload, index: number, all: EventPayload[]): boolean =>
  all.findIndex((other) => JSON.stringify(other) === JSON.stringify(event)) === index;
