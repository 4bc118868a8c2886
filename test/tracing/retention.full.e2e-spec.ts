/** Retention: exactly what is too old goes, and sums and events agree (docs/spec/limits.md#retention). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recountAll } from '../../libs/analytics/src/recount-rollups.js';
import type { RetentionTerm } from '@spandrel/kernel';
import type { StorageConfig, WriteTx } from '@spandrel/storage';
import { ExpireSpans, SpanCommitParticipants, type Expired } from '@spandrel/tracing';
import { contradictions, NO_CONTRADICTIONS, partitionedDays } from '../support/partition-lab.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';

const DAY_MS = 86_400_000;
/** In the middle of a day, so that days end at another time than plans. */
const NOW = Math.floor(Date.now() / DAY_MS) * DAY_MS + 13 * 3_600_000 + 123;
const TERMS: readonly RetentionTerm[] = [
  { orgId: 'o', projectId: 'p-starter', plan: 'starter', days: 7 },
  { orgId: 'o', projectId: 'p-team', plan: 'team', days: 30 },
  { orgId: 'o', projectId: 'p-enterprise', plan: 'enterprise', days: 90 },
];
const never = new AbortController().signal;

interface Item {
  id: string;
  trace_id: string;
  startedAt: number;
}

let postgres: TestPostgres | undefined;
const servers: ServerApp[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(async () => {
  for (const server of servers) await server.close();
  await postgres?.stop();
});

async function opened(name: string): Promise<{ url: string; server: ServerApp }> {
  const url = await createMigrated(postgres!, name);
  return { url, server: await another(url) };
}

async function another(url: string): Promise<ServerApp> {
  const config: StorageConfig = { dialect: 'postgres', url };
  const server = await startServerApp(config);
  servers.push(server);
  return server;
}

async function ingest(server: ServerApp, project: string, traces: object[], spans: Item[]): Promise<void> {
  const body = {
    traces,
    spans: spans.map(({ id, trace_id, startedAt }, n) => ({
      id,
      trace_id,
      name: `name-${n % 3}`,
      kind: {
        type: n % 4 === 0 ? 'tool' : 'llm_call',
        model: `m${n % 3}`,
        provider: 'p',
        input_tokens: n,
        output_tokens: 1,
        cost: 0.1 * n,
      },
      input: { n },
      started_at: new Date(startedAt).toISOString(),
      ...(n % 5 !== 0 && { ended_at: new Date(startedAt + 10 + n).toISOString() }),
      ...(n % 7 === 3 && { status: 'failed', error: 'x' }),
    })),
  };
  const answer = await fetch(`${server.url}/api/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-test-project': project },
    body: JSON.stringify(body),
  });
  expect(((await answer.json()) as { rejected: unknown[] }).rejected).toEqual([]);
}

async function idsOf(server: ServerApp, project: string, plural: 'spans' | 'traces'): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/${plural}?limit=1000`, { headers: { 'x-test-project': project } });
  const body = (await answer.json()) as Record<string, { id: string }[]>;
  return body[plural]!.map(({ id }) => id).toSorted();
}

const run = (server: ServerApp, terms = TERMS, stopped = never): Promise<Expired> =>
  server.app.get(ExpireSpans).execute(terms, NOW, stopped);

/** Roll-ups are what a count of the rows would make of them, and no table contradicts another. */
async function inOrder(url: string, server: ServerApp): Promise<void> {
  expect(await contradictions(url)).toEqual(NO_CONTRADICTIONS);
  const { differed } = await server.storage.write(recountAll);
  expect(differed).toBe(false);
}

const trace = (id: string, startedAt: number, more: object = {}): object => ({
  id,
  started_at: new Date(startedAt).toISOString(),
  ...more,
});

describe('retention', () => {
  it('takes the scores of traces along, and those of sessions with the last of their traces', async () => {
    const { server } = await opened('scores');
    const project = 'p-starter';
    const old = NOW - 8 * DAY_MS;
    const traces = { gone: ['over', old], stays: ['on', old], newer: ['on', NOW - DAY_MS] } as const;
    const at = Object.entries(traces);
    await ingest(
      server,
      project,
      at.map(([id, [session, startedAt]]) => trace(id, startedAt, { session_id: session })),
      at.map(([id, [, startedAt]]) => ({ id: `${id}-span`, trace_id: id, startedAt })),
    );
    const call = async <Answer>(path: string, body?: object): Promise<Answer> => {
      const headers = { 'content-type': 'application/json', 'x-test-project': project };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${server.url}/api/${path}`, init)).json()) as Answer;
    };
    for (const target of [
      ...Object.keys(traces).flatMap((id) => [{ trace_id: id }, { span_id: `${id}-span` }]),
      ...['over', 'on'].map((id) => ({ session_id: id })),
    ])
      await call('scores', { name: 'thumb', value: 1, ...target });
    await run(server);

    type Score = Record<'trace_id' | 'span_id' | 'session_id', string | null>;
    const { scores } = await call<{ scores: Score[] }>('scores');
    const left = scores.map(({ trace_id: of, span_id: span, session_id: session }) => span ?? of ?? session);
    expect(left.toSorted()).toEqual(['newer', 'newer-span', 'on']);
    const { buckets } = await call<{ buckets: { count: number }[] }>('analytics/scores?name=thumb');
    expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  it('deletes exactly what is older than the plan keeps, to the millisecond', async () => {
    const { url, server } = await opened('plans');
    for (const { projectId, days } of TERMS) {
      const edge = NOW - days * DAY_MS;
      const moments: [string, number][] = [
        ['far', edge - 3 * DAY_MS],
        ['before', edge - 1],
        ['at', edge],
        ['after', edge + 1],
        ['new', NOW - 1000],
      ];
      await ingest(
        server,
        projectId,
        [
          ...moments.map(([name, at]) => trace(`t-${name}`, at, { tags: ['a', `b-${name}`] })),
          trace('t-long', edge - 5 * DAY_MS),
          trace('t-young', NOW),
          trace('t-empty', edge - 1),
          trace('t-empty-kept', edge),
        ],
        [
          ...moments.map(([name, startedAt]) => ({ id: `s-${name}`, trace_id: `t-${name}`, startedAt })),
          { id: 's-long-old', trace_id: 't-long', startedAt: edge - 2 * DAY_MS },
          { id: 's-long-new', trace_id: 't-long', startedAt: edge + DAY_MS },
          { id: 's-young-old', trace_id: 't-young', startedAt: edge - 2 * DAY_MS },
          { id: 's-young-edge', trace_id: 't-young', startedAt: edge - 1 },
        ],
      );
    }
    await ingest(
      server,
      'p-unknown',
      [trace('t', NOW - 500 * DAY_MS)],
      [{ id: 's', trace_id: 't', startedAt: NOW - 500 * DAY_MS }],
    );
    server.events.length = 0;
    const expired = await run(server);
    for (const { projectId, plan, days } of TERMS) {
      expect(await idsOf(server, projectId, 'spans')).toEqual(['s-after', 's-at', 's-long-new', 's-new']);
      expect(await idsOf(server, projectId, 'traces')).toEqual(
        ['t-after', 't-at', 't-empty-kept', 't-long', 't-new', 't-young'].toSorted(),
      );
      expect(expired.plans.get(plan!)).toEqual({ days, traces: 3, spans: 5 });
      const reported = server.events
        .filter((event) => event.projectId === projectId)
        .map(({ event }) => JSON.stringify(event));
      expect(reported.toSorted()).toEqual(
        [
          ...['s-long-old', 's-young-edge', 's-young-old'].map((id) =>
            JSON.stringify({ type: 'span_deleted', span_id: id }),
          ),
          ...['t-before', 't-empty', 't-far'].map((id) => JSON.stringify({ type: 'trace_deleted', trace_id: id })),
        ].toSorted(),
      );
    }
    expect(await idsOf(server, 'p-unknown', 'spans')).toEqual(['s']);
    await inOrder(url, server);
    server.events.length = 0;
    expect([...(await run(server)).plans.values()].map(({ traces, spans }) => traces + spans)).toEqual([0, 0, 0]);
    expect(server.events).toEqual([]);
  });

  it('drops a day whose spans are all too old, and no day that somebody keeps', async () => {
    const { url, server } = await opened('days');
    const day = (back: number): number => NOW - back * DAY_MS;
    const name = (back: number): string => new Date(day(back)).toISOString().slice(0, 10).replaceAll('-', '');
    for (const [project, backs] of [
      ['p-starter', [2, 9, 12, 40]],
      ['p-team', [9, 40, 41]],
    ] as const) {
      for (const back of backs) {
        const traces = Array.from({ length: 20 }, (_, n) =>
          trace(`${project}-${back}-${n}`, day(back), { tags: ['x'] }),
        );
        const spans = Array.from({ length: 60 }, (_, n) => ({
          id: `${project}-${back}-${n}`,
          trace_id: `${project}-${back}-${n % 20}`,
          startedAt: day(back) + n * 1000,
        }));
        await ingest(server, project, traces, spans);
      }
    }
    expect(await partitionedDays(url)).toEqual([41, 40, 12, 9, 2].map(name));
    const { daysDropped, plans } = await run(server);
    expect(daysDropped).toBe(3);
    expect(await partitionedDays(url)).toEqual([9, 2].map(name));
    expect(plans.get('starter')).toEqual({ days: 7, traces: 60, spans: 180 });
    expect(plans.get('team')).toEqual({ days: 30, traces: 40, spans: 120 });
    expect((await idsOf(server, 'p-team', 'spans')).every((id) => id.startsWith('p-team-9-'))).toBe(true);
    await inOrder(url, server);
    // What comes late for a day that was dropped is taken all the same, and goes again.
    await ingest(server, 'p-team', [trace('late', day(41))], [{ id: 'late', trace_id: 'late', startedAt: day(41) }]);
    expect(await idsOf(server, 'p-team', 'spans')).toContain('late');
    expect((await run(server)).plans.get('team')).toMatchObject({ traces: 1, spans: 1 });
    await inOrder(url, server);
  });

  it('is gone on with after it broke off in the middle, by two instances at once, while others write', async () => {
    const { url, server } = await opened('broken');
    const second = await another(url);
    const all = Array.from({ length: 2_600 }, (_, n) => n);
    await ingest(
      server,
      'p-starter',
      all.slice(0, 260).map((n) => trace(`t${n}`, NOW - 8 * DAY_MS)),
      [],
    );
    // Over two days, so that no day goes as a whole, and many transactions are needed.
    await ingest(
      server,
      'p-starter',
      [],
      all.map((n) => ({
        id: `s${n}`,
        trace_id: `t${n % 260}`,
        startedAt: NOW - (8 + (Math.floor(n / 260) % 2)) * DAY_MS + n,
      })),
    );
    let calls = 0;
    server.app.get(SpanCommitParticipants).register({
      name: 'saboteur',
      onCommit: async (tx: WriteTx, changes) => {
        if (changes.some(({ type }) => type === 'trace_deleted') && ++calls === 2) {
          await tx.run({ writeTo: (target) => void (target.text = 'select 1 / 0') });
        }
      },
    });
    await expect(run(server)).rejects.toThrow();
    await inOrder(url, server);
    const left = (await idsOf(server, 'p-starter', 'traces')).length;
    expect(left).toBeLessThan(260);
    expect(left).toBeGreaterThan(0);
    let written = 0;
    const stop = new AbortController();
    const writing = Promise.all(
      [server, second].map(async (app, writer) => {
        // Not for ever: what is written is as old as what is deleted, and on a slow machine comes faster.
        while (!stop.signal.aborted && written < 120) {
          const id = `w${writer}-${written++}`;
          const old = NOW - 8 * DAY_MS + written;
          await ingest(app, 'p-starter', [trace(id, old)], [{ id, trace_id: id, startedAt: written % 2 ? old : NOW }]);
        }
      }),
    );
    await Promise.all([run(server), run(second)]);
    stop.abort();
    await writing;
    await run(second);
    const spans = await idsOf(server, 'p-starter', 'spans');
    expect(spans.every((id) => id.startsWith('w'))).toBe(true);
    expect(written).toBeGreaterThan(0);
    expect((await idsOf(server, 'p-starter', 'traces')).toSorted()).toEqual(spans);
    await inOrder(url, server);
  });
});
