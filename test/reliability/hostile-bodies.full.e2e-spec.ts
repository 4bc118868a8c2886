/** No request holds the event loop of the API for long, whatever is in it (docs/reliability.md#hostile-bodies). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOOP_PROBE, coreSlowness, loopHeldMs } from '../support/loop-watch.ts';
import { freePort } from '../support/ports.ts';
import { spawnSpandrel, tempDir, until } from '../support/spandrel.ts';

/** Far above the goal of 50 ms, which the bench is held against: CPU takes twice as long on a busy machine. Before, these took seconds. */
const HELD_MS_MAX = 300;
/** Before, these took 150 ms and more, on a usual core. */
const ANSWER_HELD_MS_MAX = 120;
const ATTEMPTS = 3;

let program: ChildProcess;
let dataset: string;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const args = ['server', '--port', String(port), '--data-dir', tempDir()];
  program = spawnSpandrel(args, { NODE_OPTIONS: LOOP_PROBE }, ['ignore', 'ignore', 'ignore', 'ipc']);
  await until(
    async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200,
    20_000,
    () => 'the server did not start',
    () => program.exitCode !== null,
  );
  await send('/api/traces', '{"id":"t"}');
  dataset = ((await (await send('/api/datasets', '{"name":"d"}')).json()) as { id: string }).id;
  // What is compiled and allotted once is not what a body does.
  for (let time = 0; time < 3; time++) await send('/api/spans', span(`[${list(40_000, (n) => `{"k${n}":0}`)}]`));
});
afterAll(() => void program?.kill('SIGKILL'));

const list = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join();
let ids = 0;
const otlpSpan = (members: string): string =>
  `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'a1'.repeat(16)}","spanId":"${'b2'.repeat(8)}","name":"s","startTimeUnixNano":"1790000000000000000",${members}}]}]}]}`;
const attribute = (name: string, value: string): string =>
  otlpSpan(`"attributes":[{"key":"${name}","value":${value}}]`);
const LOG_NAMES: Record<string, string> = {
  ...{ resourceSpans: 'resourceLogs', scopeSpans: 'scopeLogs', '"spans"': '"logRecords"' },
};
const lists = (count: number): string => list(count, () => '[]');
const span = (input: string): string => `{"id":"s${ids++}","trace_id":"t","name":"s","input":${input}}`;

async function send(path: string, body: string, type = 'application/json'): Promise<Response> {
  const answer = await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body });
  await answer.clone().arrayBuffer();
  return answer;
}

/**
 * Expects that what is done holds the loop for less than `ms`, on a usual core. Others use this one, too, and make it slow
 * for moments: what was held for longer is done again, and only what is held each time fails.
 */
async function expectHeldBelow(ms: number, work: () => Promise<void>): Promise<void> {
  let [held, limit] = [Infinity, 0];
  for (let attempt = 0; attempt < ATTEMPTS && held >= limit; attempt++) {
    await loopHeldMs(program);
    await work();
    held = await loopHeldMs(program);
    // How slow the core is takes a third of a second to see.
    limit = held < ms ? ms : ms * coreSlowness();
  }
  expect(held).toBeLessThan(limit);
}

describe('the event loop', () => {
  it.each<[string, string, number, () => string]>([
    ['3,000,000 empty lists', '/api/traces', 413, () => `[${list(3_000_000, () => '[]')}]`],
    ['249,000 objects of other names each', '/api/spans', 201, () => span(`[${list(249_000, (n) => `{"k${n}":0}`)}]`)],
    ['499,000 short texts', '/api/spans', 201, () => span(`[${list(499_000, (n) => `"s${n}"`)}]`)],
    [
      '499,000 numbers of 19 digits',
      '/api/spans',
      201,
      () => span(`[${list(499_000, (n) => `9007199254${740_993_000 + n}`)}]`),
    ],
    ['10 MB of lone surrogates', '/api/spans', 201, () => span(`"${'\\ud83d'.repeat(1_700_000)}"`)],
    ['490,000 wrong tags', '/api/traces', 400, () => `{"tags":[${list(490_000, () => '1')}]}`],
    [
      'ten spans of 48,000 values',
      '/api/ingest',
      200,
      () => `{"spans":[${list(10, (s) => span(`[${list(24_000, (n) => `{"k${n}_${s}":1}`)}]`))}]}`,
    ],
    [
      '490,000 elements of an attribute',
      '/v1/traces',
      200,
      () => attribute('k', `{"arrayValue":{"values":[${list(490_000, () => '{"doubleValue":0.1}')}]}}`),
    ],
    [
      'an attribute of 60 MB',
      '/v1/traces',
      200,
      () => attribute('k', `{"stringValue":"${'wave '.repeat(12_000_000)}"}`),
    ],
    [
      'messages of 9 MB of lists',
      '/v1/traces',
      200,
      () => attribute('gen_ai.input.messages', `{"stringValue":"[${lists(3_000_000)}]"}`),
    ],
    [
      'a log event of 6 MB of lists, which is merged into a span',
      '/v1/logs',
      200,
      () =>
        attribute('gen_ai.input.messages', `{"stringValue":"[${lists(2_000_000)}]"}`)
          .replace(/resourceSpans|scopeSpans|"spans"/g, (name) => LOG_NAMES[name]!)
          .replace(
            '"name":"s","startTimeUnixNano"',
            '"eventName":"gen_ai.client.inference.operation.details","timeUnixNano"',
          ),
    ],
    [
      'a million attributes',
      '/v1/traces',
      413,
      () => otlpSpan(`"attributes":[${list(1_000_000, () => '{"key":"k","value":{"intValue":"1"}}')}]`),
    ],
  ])(
    'is not held by %s',
    async (_what, path, status, makeBody) => {
      await expectHeldBelow(HELD_MS_MAX, async () => {
        const body = makeBody();
        expect((await send(path, body)).status).toBe(status);
      });
    },
    60_000,
  );

  it('is not held by a trace of calls that name no model, which is looked for around each', async () => {
    const spanId = (n: number): string => (n + 1).toString(16).padStart(16, '0');
    const call = (n: number, traceId: string): string =>
      `{"traceId":"${traceId}","spanId":"${spanId(n)}","parentSpanId":"${spanId(n + 1)}","name":"s","startTimeUnixNano":"1790000000000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]}`;
    await expectHeldBelow(ANSWER_HELD_MS_MAX, async () => {
      const traceId = (ids++).toString(16).padStart(32, 'c');
      const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[${list(8_000, (n) => call(n, traceId))}]}]}]}`;
      expect((await send('/v1/traces', body)).status).toBe(200);
    });
  }, 60_000);

  it.each<[string, string, () => string]>([
    ['400,000 elements that are no rows', 'application/json', () => `[${list(400_000, () => '[]')}]`],
  ])('is not held by an import of %s', async (_what, type, makeBody) => {
    await expectHeldBelow(HELD_MS_MAX, async () => {
      const body = makeBody();
      expect((await send(`/api/datasets/${dataset}/import?on_error=skip`, body, type)).status).toBe(201);
    });
  });

  it('is not held by imports of a large row that are compared with what is there', async () => {
    const row = `{"input":[${list(249_000, (n) => `{"k${n}":0}`)}]}\n`;
    for (const asked of ['', '', '?dedupe=true']) {
      await expectHeldBelow(HELD_MS_MAX, async () => {
        expect((await send(`/api/datasets/${dataset}/import${asked}`, row, 'application/jsonl')).status).toBe(201);
      });
    }
  }, 60_000);

  it('is not held by answers of 100,000 buckets, and of boards that are long together', async () => {
    const figures = Array.from({ length: 48 }, (_, n) => ({
      title: `f${n}`,
      figure: 'cost',
      query: '"'.repeat(8_000),
    }));
    const board = JSON.stringify({ name: 'b', figures });
    for (let n = 0; n < 30; n++) expect((await send('/api/boards', board)).status).toBe(201);
    const hours = { group_by: 'hour', fill: true, since: '2015-01-01T00:00:00Z', until: '2026-05-01T00:00:00Z' };
    await expectHeldBelow(ANSWER_HELD_MS_MAX, async () => {
      const answer = await send('/api/analytics', JSON.stringify(hours));
      expect(((await answer.json()) as { buckets: unknown[] }).buckets).toHaveLength(99_312);
      const { boards, next_cursor: next } = (await (await fetch(`${url}/api/boards?limit=1000`)).json()) as {
        boards: unknown[];
        next_cursor: string | null;
      };
      expect([boards.length < 5, typeof next]).toEqual([true, 'string']);
    });
  });

  it('is not held by a session of long calls that a rule judges, nor is memory used up', async () => {
    const text = 'wave '.repeat(900_000);
    for (let n = 0; n < 20; n++) {
      await send('/api/traces', `{"id":"session-${n}","session_id":"S"}`);
      const call = { kind: { type: 'llm_call', model: 'm' }, status: 'completed', input: text, output: text };
      const spans = [{ id: `call-${n}`, trace_id: `session-${n}`, name: 'c', ...call }];
      expect((await send('/api/ingest', JSON.stringify({ spans }))).status).toBe(200);
    }
    const rule = { name: 'r', target: 'session', scoring: 'Regex', scoring_config: { pattern: 'a+b' }, enabled: false };
    const { id } = (await (await send('/api/scoring-rules', JSON.stringify(rule))).json()) as { id: string };
    await expectHeldBelow(ANSWER_HELD_MS_MAX, async () => {
      const tested = await send(`/api/scoring-rules/${id}/test`, '{"session_id":"S"}');
      expect(await tested.json()).toMatchObject({ score: { value: 0 }, error: null });
    });
  }, 60_000);

  it('is not held by a file of more parts than there are', async () => {
    const parts = Array.from({ length: 2_000 }, (_, n) =>
      n.toString(26).replace(/\d/g, (d) => 'qrstuvwxyz'[Number(d)]!),
    );
    const file = [...new Set(parts)].map((name) => `<script type="text/plain" data-part="${name}"></script>`).join('');
    const answer = await send('/api/import/bundle', file, 'text/html');
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining('more than 1000 parts'),
    ]);
  });

  it('is not held by an import of a trace with large metadata that is there', async () => {
    const body = `{"version":1,"traces":[{"id":"i","metadata":{"a":[${list(249_000, (n) => `{"k${n}":0}`)}]}}]}`;
    expect((await send('/api/import/json', body)).status).toBe(200);
    await expectHeldBelow(HELD_MS_MAX, async () => {
      expect((await send('/api/import/json', body)).status).toBe(200);
    });
  });

  it('is not held by small log events of many large spans', async () => {
    const traceId = 'c3'.repeat(16);
    const spanIds = Array.from({ length: 12 }, (_, n) => n.toString(16).padStart(16, 'd'));
    await send('/api/traces', `{"id":"${traceId}"}`);
    for (const id of spanIds) {
      await send(
        '/api/spans',
        `{"id":"${id}","trace_id":"${traceId}","name":"s","input":"${'wave '.repeat(1_800_000)}"}`,
      );
    }
    const event = (spanId: string): string =>
      `{"traceId":"${traceId}","spanId":"${spanId}","timeUnixNano":"${1_790_000_000_000 + ids++}000000","eventName":"gen_ai.choice","attributes":[{"key":"finish_reason","value":{"stringValue":"stop"}}]}`;
    await expectHeldBelow(HELD_MS_MAX, async () => {
      const logs = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${spanIds.map(event).join()}]}]}]}`;
      expect((await send('/v1/logs', logs)).status).toBe(200);
    });
    const { output } = (await (await fetch(`${url}/api/spans/${spanIds.at(-1)}`)).json()) as { output: unknown };
    expect(output).toMatchObject({ finish_reason: 'stop' });
  }, 60_000);

  it.each([
    ['10,000,000 lists', () => `{"data":[${lists(10_000_000)}]}`],
    ['200,000 models', () => `{"data":[${list(200_000, (n) => `{"id":"model-${n}"}`)}]}`],
    ['an error of 30 MB', () => `{"error":{"message":"${'sk-***'.repeat(5_000_000)}"}}`],
  ])('is not held by a provider that answers with %s', async (_what, makeAnswer) => {
    const answer = makeAnswer();
    const provider = createServer((_request, response) => void response.end(answer)).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    const body = JSON.stringify({ name: base, provider: 'custom', base_url: base, api_key: 'sk-abcdefghijklmnop' });
    const { id } = (await (await send('/api/provider-connections', body)).json()) as { id: string };
    await expectHeldBelow(HELD_MS_MAX, async () => {
      expect((await send(`/api/provider-connections/${id}/test`, '{}')).status).toBe(200);
    });
    provider.close();
  });
});
