import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rebuildRollups } from '@spandrel/analytics';
import type { SpanResource } from '@spandrel/contract';
import { sql, type StorageConfig } from '@spandrel/storage';
import { naiveSeries } from '../support/naive-analytics.ts';
import { AnalyticsApp } from './analytics-app.js';
import { unpricedSpans } from './unpriced-spans.js';
import { expectRecounted, question } from './expect-recounted.js';
import { describeUsers } from './users.js';
import { splitSpans } from './split-spans.js';
import { sendAtOnce, write } from './random-writes.js';
import { repetitions } from '../support/repetitions.ts';
import { describeOnDatabase, type TestDatabase } from '../support/databases.ts';

/** What every database must do alike. */
export function describeAnalytics(on: TestDatabase): void {
  describeOnDatabase(on, 'analytics', ({ newDatabase }) => {
    let app: AnalyticsApp;
    let database: StorageConfig;

    beforeAll(async () => {
      database = await newDatabase('analytics');
      app = await AnalyticsApp.open(database);
    });

    afterAll(() => app?.close());

    let projects = 0;
    const newProject = (): string => `project-${projects++}`;

    it('equal a recount after any writes, and are what a rebuild makes', async () => {
      const step = fc.array(fc.tuple(fc.nat(1), write), { minLength: 1, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(step, fc.array(question, { maxLength: 4 })), { minLength: 1, maxLength: 6 }),
          async (steps) => {
            const two = [newProject(), newProject()];
            for (const [writes, questions] of steps) {
              const statuses = await sendAtOnce([app], two, writes);
              expect(Math.max(...statuses)).toBeLessThan(500);
              for (const project of two) await expectRecounted(app, project, questions);
            }
            expect(await rebuildRollups(app.storage)).toMatchObject({ differed: false });
          },
        ),
        { numRuns: repetitions(15), endOnFailure: true },
      );
    }, 240_000);

    unpricedSpans(() => app, newProject);

    it('cut a range to the millisecond at both ends, in buckets that start before it', async () => {
      const project = newProject();
      await ingest(app, project, ['10:29:59.999', '10:30:00.000', '11:00:00.000', '12:15:00.000', '12:15:00.001']);
      const { body } = await app.series(
        { since: '2026-03-02T10:30:00Z', until: '2026-03-02T13:15:00.001+01:00', group_by: 'hour' },
        project,
      );
      expect(body.buckets.map(({ timestamp, span_count: count }) => [timestamp.slice(11, 16), count])).toEqual([
        ['10:00', 1],
        ['11:00', 1],
        ['12:00', 1],
      ]);
    });

    it.each([4.9999999999999e-13, 5e-13, 1.5e-12, 2.4e-12, 0.9999999999995, 1.1, 123.456789, 2e9, 1e300])(
      'cost %d in a cut hour as in a whole one',
      async (cost) => {
        const project = newProject();
        const at = '2026-03-02T10:30:00Z';
        const span = { id: 's', trace_id: 't', name: 's', kind: { type: 'tool_call', cost }, started_at: at };
        await app.call('POST', '/api/ingest', { traces: [{ id: 't' }], spans: [span] }, project);
        const cut = await app.series({ since: '2026-03-02T10:15:00Z', until: '2026-03-02T10:45:00Z' }, project);
        const { body } = await app.series({}, project);
        expect(cut.body.buckets).toEqual(body.buckets);
        expect(body.buckets).toEqual(naiveSeries({}, await app.spans(project)));
      },
    );

    it('fill the range with empty buckets when asked, and only so many', async () => {
      const project = newProject();
      await ingest(app, project, ['10:00:00.000', '13:00:00.000']);
      const fill = async (range: object): Promise<[string, number][]> => {
        const { body } = await app.series({ group_by: 'hour', fill: true, ...range }, project);
        return body.buckets.map(({ timestamp, span_count: count }) => [timestamp.slice(11, 13), count]);
      };
      const between = [
        ['10', 1],
        ['11', 0],
        ['12', 0],
        ['13', 1],
      ];
      expect(await fill({})).toEqual(between);
      expect(await fill({ since: '2026-03-02T08:59:00Z' })).toEqual([['08', 0], ['09', 0], ...between]);
      expect(await fill({ until: '2026-03-02T14:00:00.001Z' })).toEqual([...between, ['14', 0]]);
      expect(await fill({ until: '2026-03-02T14:00:00Z' })).toEqual(between);
      expect(await fill({ model: 'none', since: '2026-03-02T08:00:00Z', until: '2026-03-02T10:00:00Z' })).toEqual([
        ['08', 0],
        ['09', 0],
      ]);
      expect(await fill({ model: 'none', since: '2026-03-02T08:00:00Z' })).toEqual([]);
      const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, finished_count: 0 };
      const empty = {
        cost: 0,
        unpriced_count: 0,
        tokens: 0,
        avg_latency_ms: null,
        error_count: 0,
        span_count: 0,
        ...none,
      };
      const { body } = await app.series({ since: '2026-03-03', until: '2026-03-04', fill: true }, project);
      expect(body.buckets).toEqual([{ timestamp: '2026-03-03T00:00:00.000Z', ...empty }]);
      const centuries = { since: '0001-01-01', until: '2026-01-01', fill: true };
      for (const refused of [
        { ...centuries, group_by: 'hour' },
        { ...centuries, group_by: 'day' },
        { since: '0001-01-01', fill: true },
      ]) {
        const answer = await app.series(refused, project);
        expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
      }
      const weeks = await app.series(
        { since: '1025-01-01', until: '2026-01-01', fill: true, group_by: 'week' },
        project,
      );
      expect([weeks.status, weeks.body.buckets.length]).toEqual([200, 52_231]);
    });

    it('answer an empty question, an empty range and none that is malformed', async () => {
      const project = newProject();
      await ingest(app, project, ['10:00:00.000']);
      expect((await app.series(undefined, project)).body.buckets).toHaveLength(1);
      expect((await app.series({}, project)).body.buckets).toHaveLength(1);
      const nulls = { since: null, until: null, group_by: null, model: null, provider: null, fill: null, other: 1 };
      expect((await app.series(nulls, project)).body.buckets).toHaveLength(1);
      const day = '2026-03-02T10:00:00Z';
      expect((await app.series({ since: day, until: day, fill: true }, project)).body).toEqual({ buckets: [] });
      expect((await app.series({ since: '2026-03-03', until: day }, project)).body).toEqual({ buckets: [] });
      for (const [member, value] of [
        ['since', 'yesterday'],
        ['until', 5],
        ['group_by', 'month'],
        ['group_by', 'minute'],
        ['split_by', 'name'],
        ['top', 0],
        ['top', 21],
        ['percentiles', 1],
        ['model', 1],
        ['fill', 'yes'],
      ] as const) {
        const { status, body } = await app.series({ [member]: value }, project);
        expect([status, body.code, body.errors[0]?.path]).toEqual([400, 'validation_failed', member]);
      }
    });

    it('say zero and null where there is nothing', async () => {
      const project = newProject();
      expect(await app.summary(project)).toEqual({
        total_traces: 0,
        total_spans: 0,
        total_cost: 0,
        unpriced_count: 0,
        total_tokens: 0,
        avg_latency_ms: null,
        error_rate: 0,
        models: {},
      });
      expect(await app.stats(project)).toEqual({ trace_count: 0, span_count: 0 });
      expect((await app.series({}, project)).body).toEqual({ buckets: [] });
    });

    it('name models as they are, also __proto__', async () => {
      const project = newProject();
      await ingest(app, project, ['10:00:00.000'], '__proto__');
      const { text } = await app.call('GET', '/api/analytics/summary', undefined, project);
      expect(text).toContain('"models":{"__proto__":{"count":1,');
    });

    it('are repaired by a rebuild where somebody has deleted or changed them', async () => {
      const project = newProject();
      await ingest(app, project, ['10:00:00.000', '12:00:00.000', '23:59:59.999']);
      const right = await app.summary(project);
      expect(right.total_spans).toBe(3);
      await app.storage.write(async (tx) => {
        await tx.run(sql`delete from analytics_rollup`);
        await tx.run(sql`delete from analytics_total`);
      });
      expect(await rebuildRollups(app.storage)).toMatchObject({ differed: true });
      expect(await app.summary(project)).toEqual(right);
      expect(await rebuildRollups(app.storage)).toMatchObject({ differed: false });
      await app.storage.write((tx) => tx.run(sql`update analytics_rollup set tokens = tokens + 1 where grain = 2`));
      expect(await rebuildRollups(app.storage)).toMatchObject({ differed: true });
      await app.storage.write((tx) => tx.run(sql`update analytics_total set trace_count = 7`));
      expect(await rebuildRollups(app.storage)).toMatchObject({ differed: true });
      expect(await app.summary(project)).toEqual(right);
      await expectRecounted(app, project, [{ group_by: 'hour' }]);
    });

    splitSpans(() => app, newProject);
    describeUsers(() => app, newProject);
  });
}

/** Finished LLM calls that start on 2026-03-02, a Monday. */
async function ingest(app: AnalyticsApp, project: string, times: readonly string[], model = 'm'): Promise<void> {
  const spans = times.map((time, n): Partial<SpanResource> => {
    const at = `2026-03-02T${time}Z`;
    const kind = { type: 'llm_call', model, input_tokens: n, cost: 0.1 };
    return { id: `s${n}`, trace_id: 't', name: 's', kind, started_at: at, ended_at: at };
  });
  const answer = await app.call<{ accepted: object }>('POST', '/api/ingest', { traces: [{ id: 't' }], spans }, project);
  expect(answer.body.accepted).toEqual({ traces: 1, spans: times.length });
}
