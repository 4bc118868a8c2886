/** The deletion of an organization goes on where a server was killed (docs/spec/projects.md#deleting-a-project). */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { takeDatabase, type Place } from '../support/places.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, createTenant } from '../support/tenant.ts';

const SPANS = THOROUGH ? 200_000 : 3_000;
const SPANS_OF_INGEST = 3_000;
const TRACES = 50;
const MARK = 'gone-for-good';
/** A server that is silent keeps a removal for so long (libs/access/src/removal/removal-task.ts), and some more. */
const TAKEN_OVER_MS = THOROUGH ? 600_000 : 60_000;
/** What is kept of an organization by intent: who deleted what, and for a day the ids of what was deleted. */
const KEPT = /audit_log|audit_chain|removal/;

let place: Place;
beforeAll(async () => void (place = await takeDatabase()));
afterAll(() => place?.close());

interface RemovalState {
  rows: string;
  finished: string | null;
}

it('is gone on with after a kill -9 in the middle, and then nothing of it is anywhere', async () => {
  const first = await place.start();
  const gone = await createTenant(first.api.as(ADMIN_TOKEN), { name: MARK });
  const traces = Array.from({ length: TRACES }, (_, n) => ({ id: `t-${n}`, name: MARK, tags: [MARK] }));
  const spans = Array.from({ length: SPANS }, (_, n) => ({
    ...{
      id: `s-${n}`,
      trace_id: `t-${n % TRACES}`,
      name: MARK,
      input: `input of ${MARK}`,
      ended_at: new Date().toISOString(),
    },
    kind: { type: 'llm_call', model: MARK, provider: 'openai', input_tokens: 1, output_tokens: 1 },
  }));
  for (let at = 0; at < SPANS; at += SPANS_OF_INGEST) {
    const some = spans.slice(at, at + SPANS_OF_INGEST);
    expect((await gone.api.post('/api/ingest', { traces, spans: some })).status).toBe(200);
  }
  // The ids are those of the other project, too.
  const others = {
    traces: traces.map(({ id }) => ({ id })),
    spans: spans.slice(0, SPANS_OF_INGEST).map(({ id, trace_id }) => ({ id, trace_id, name: 's' })),
  };
  expect((await first.api.post('/api/ingest', others)).status).toBe(200);
  const kept = (await first.api.get<object>('/api/analytics/summary')).body;

  // However slowly this test looks, the first server does not come to the end.
  await place.rows('begin');
  await place.rows(`select 1 from trace where project_id = '${gone.project.id}' for update`);
  expect((await first.api.as(ADMIN_TOKEN).delete(`/api/orgs/${gone.org.id}`)).status).toBe(202);
  const state = async (id: string): Promise<RemovalState> =>
    (
      await place.rows<RemovalState>(
        `select rows_deleted as rows, finished_at as finished from removal where id = '${id}'`,
      )
    )[0]!;
  await until(async () => Number((await state(gone.project.id)).rows) > 0);
  await first.stop('SIGKILL');
  const atKill = await state(gone.project.id);
  expect(atKill.finished).toBeNull();
  await place.rows('rollback');

  const second = await place.start();
  const taken: number[] = [];
  expect((await gone.api.get('/api/traces').catch(() => undefined))?.status ?? 401).toBe(401);
  await until(async () => {
    const began = performance.now();
    expect((await second.api.get('/api/traces?limit=50')).status).toBe(200);
    taken.push(performance.now() - began);
    return (await state(gone.org.id)).finished !== null;
  }, TAKEN_OVER_MS);
  if (THOROUGH) {
    const [p50, p99] = [0.5, 0.99].map((part) => taken.toSorted((a, b) => a - b)[Math.floor(taken.length * part)]!);
    process.stderr.write(
      `lists of the other organization meanwhile: p50 ${p50} ms, p99 ${p99} ms of ${taken.length}\n`,
    );
  }
  const whole = await state(gone.project.id);
  expect(Number(whole.rows)).toBeGreaterThan(Number(atKill.rows));
  // A span has three rows, and each is counted once, no matter who deleted it.
  expect(Number(whole.rows)).toBeGreaterThanOrEqual(3 * SPANS + TRACES);
  const [entry] = await place.rows<{ details: string }>(
    `select details from audit_log where action = 'project.deleted'`,
  );
  expect(JSON.parse(entry!.details)).toMatchObject({
    rows_deleted: Number(whole.rows),
    rows: { span: SPANS, span_payload: SPANS, span_key: SPANS, trace: TRACES },
  });
  const left = (await place.contents()).filter(
    ([where, bytes]) => !KEPT.test(where) && [MARK, gone.org.id, gone.project.id].some((text) => bytes.includes(text)),
  );
  expect(left.map(([where]) => where)).toEqual([]);
  expect((await second.api.get<object>('/api/analytics/summary')).body).toEqual(kept);
});
