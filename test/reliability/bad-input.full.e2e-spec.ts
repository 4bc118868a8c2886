/** Bodies nobody should send: stored exactly or a 4xx, never a 5xx, and the event loop goes on meanwhile. */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Api } from '../support/api.ts';
import { LivezWatch } from '../support/livez-watch.ts';
import type { Place, Program } from '../support/places.ts';
import { forgetPeak, peakMiB } from '../support/process-memory.ts';
import { sendRaw } from '../support/raw-http.ts';
import { until } from '../support/spandrel.ts';
import { keptAt } from './kept.ts';
import { repetitions } from '../support/repetitions.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';

// Bounds in milliseconds, on machines that may be doing something else for a moment.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

/** How long the event loop may be away, measured from outside. */
const STALL_MS_MAX = 1_000;

let provider: FakeProvider;
let place: Place;
let spandrel: Program;
let api: Api;
let apiLoop: LivezWatch;
let gatewayLoop: LivezWatch;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());

interface Sent {
  status: number;
  text: string;
}

/** Sends bytes as they are; an answer counts also when the server has closed before it had them all. */
function send(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(
      spandrel.apiUrl + path,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...place.headers,
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('end', () => resolve({ status: answer.statusCode!, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The text of a member as the API answers it, byte for byte. */
async function readBack(id: string): Promise<string> {
  return (await fetch(`${spandrel.apiUrl}/api/spans/${id}`, { headers: place.headers })).text();
}

const span = (member: string, value: string): string => `{"trace_id":"t","name":"s","${member}":${value}}`;
const many = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join();
const nested = (depth: number, open: string, core: string, close: string): string =>
  open.repeat(depth) + core + close.repeat(depth);

/** Name, path, body, and what the answer may be. `exact`: stored, and the value comes back as it was sent. */
type Case = [name: string, path: string, body: () => string | Buffer, answer: number | 'exact'];

const HEAVY: Case[] = [
  ['10,000 arrays in each other', '/api/spans', () => span('input', nested(10_000, '[', '1', ']')), 400],
  ['10,000 objects in each other', '/api/spans', () => span('metadata', nested(10_000, '{"a":', '1', '}')), 400],
  ['4,000,000 open brackets', '/api/spans', () => '['.repeat(4_000_000), 400],
  [
    '5 levels fewer than allowed',
    '/api/spans',
    () => span('input', nested(195, '[{"a":'.slice(0, 1), '1', ']')),
    'exact',
  ],
  ['a million tags', '/api/traces', () => `{"tags":[${many(1_000_000, () => '"t"')}]}`, 413],
  ['490,000 tags', '/api/traces', () => `{"tags":[${many(490_000, () => '"t"')}]}`, 400],
  ['a million wrong tags', '/api/traces', () => `{"tags":[${many(1_000_000, () => '1')}]}`, 413],
  ['490,000 wrong tags', '/api/traces', () => `{"tags":[${many(490_000, () => '1')}]}`, 400],
  ['800,000 unknown members', '/api/traces', () => `{${many(800_000, (n) => `"k${n}":0`)}}`, 400],
  ['800,000 members', '/api/spans', () => span('metadata', `{${many(800_000, (n) => `"k${n}":0`)}}`), 400],
  ['50,000 members', '/api/spans', () => span('metadata', `{${many(50_000, (n) => `"k${n}":0`)}}`), 'exact'],
  ['a million elements', '/api/spans', () => span('input', `[${many(1_000_000, (n) => String(n % 10))}]`), 413],
  ['490,000 elements', '/api/spans', () => span('input', `[${many(490_000, (n) => String(n % 10))}]`), 'exact'],
  ['3,000,000 empty lists', '/api/traces', () => `[${many(3_000_000, () => '[]')}]`, 413],
  ['490,000 empty objects', '/api/spans', () => span('input', `[${many(490_000, () => '{}')}]`), 'exact'],
  ['a text of 5 MB', '/api/spans', () => span('input', JSON.stringify('潮 tide '.repeat(500_000))), 'exact'],
  ['a million escapes', '/api/spans', () => span('input', `"${'\\u0000\\ud800'.repeat(400_000)}"`), 'exact'],
  ['5 MB of quotes', '/api/spans', () => span('input', `"${'\\"'.repeat(2_500_000)}"`), 'exact'],
  ['5 MB of backslashes', '/api/spans', () => span('input', `"${'\\\\'.repeat(2_500_000)}"`), 'exact'],
  ['an unended text of 9 MB', '/api/spans', () => span('input', `"${'\\\\'.repeat(4_500_000)}`), 400],
  [
    '100,000 integers beyond 2^53',
    '/api/spans',
    () => span('input', `[${many(100_000, (n) => `90071992547409${n + 1_000_000}`)}]`),
    'exact',
  ],
  ['a number of 5,000,000 digits', '/api/spans', () => span('input', '1'.repeat(5_000_000)), 400],
  ['a fraction of 100,000 digits', '/api/spans', () => span('input', `0.1${'0'.repeat(100_000)}1`), 'exact'],
  ['a fraction of 5,000,000 digits', '/api/spans', () => span('input', `0.1${'0'.repeat(5_000_000)}1`), 'exact'],
  ['a fraction of 5,000,000 zeros', '/api/spans', () => span('input', `0.${'0'.repeat(5_000_000)}`), 201],
  ['an exponent of 1,000,000 digits', '/api/spans', () => span('input', `1e${'9'.repeat(1_000_000)}`), 400],
  ['9 MB of blanks', '/api/spans', () => ' '.repeat(9_000_000) + span('input', '1'), 201],
  ['10,000 wrong spans', '/api/ingest', () => `{"spans":[${many(10_000, () => '{"id":7,"tags":[{}]}')}]}`, 200],
  ['10,001 spans', '/api/ingest', () => `{"spans":[${many(10_001, () => '{}')}]}`, 413],
  ['a million spans that are numbers', '/api/ingest', () => `{"spans":[${many(1_000_000, () => '1')}]}`, 413],
  ['UTF-16', '/api/spans', () => Buffer.from(`\ufeff${span('input', '1')}`, 'utf16le'), 400],
  ['a UTF-8 byte order mark', '/api/spans', () => `\ufeff${span('input', '1')}`, 400],
  ['9 MB of invalid UTF-8', '/api/spans', () => Buffer.alloc(9_000_000, 0xff), 400],
  ['a cut character', '/api/spans', () => Buffer.from(span('input', '"潮"')).subarray(0, 35), 400],
  [
    'a surrogate in UTF-8',
    '/api/spans',
    () => Buffer.from(span('input', '"?"').replace('?', '\u00ed\u00a0\u0080'), 'latin1'),
    400,
  ],
];

/** A bomb of gzip: its members follow on each other, 512 MiB in all. */
const bomb = (): Buffer => Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16 << 20, 0x20))));

/** Names that mean something to JavaScript, and none to the service. */
const POISON = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then'];

const character = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
const text = fc.oneof(
  fc.constantFrom('', '\0', '\ud800', '\udc00x', '\u2028', '\\"', ...POISON),
  fc.string({ unit: character }),
);
// A key that looks like an index moves to the front of a JavaScript object.
const key = text.filter((name) => !/^\d+$/.test(name));
const number = fc.oneof(
  fc.constantFrom(
    '9223372036854775808',
    '-9007199254740993',
    '0.1000000000000000055',
    '123456789012345678901234567890',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    number,
    text.map((value) => JSON.stringify(value)),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .uniqueArray(fc.tuple(key, tie('json')), { maxLength: 4, selector: ([name]) => name })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
  ),
}));
const object = json.filter((value) => value.startsWith('{'));

const chat = (content: string): string => `{"model":"gpt-4o","messages":[{"role":"user","content":${content}}]}`;

const PASSED: [string, () => string | Buffer][] = [
  ['a text of 4 MB', () => chat(JSON.stringify('潮 tide '.repeat(400_000)))],
  ['10,000 levels', () => chat(nested(10_000, '[', '1', ']'))],
  ['600,000 members', () => chat(`{${many(600_000, (n) => `"k${n}":0`)}}`)],
  ['50,000 messages', () => `{"model":"m","messages":[${many(50_000, () => '{"role":"user"}')}]}`],
  ['a fraction of 4,000,000 digits', () => chat(`0.1${'0'.repeat(4_000_000)}1`)],
  ['4 MB of quotes', () => chat(`"${'\\"'.repeat(2_000_000)}"`)],
  ['8 MB of open brackets', () => '['.repeat(8_000_000)],
  ['invalid UTF-8', () => Buffer.alloc(1_000_000, 0xff)],
  ['UTF-16', () => Buffer.from(chat('"hi"'), 'utf16le')],
  [
    'prototypes',
    () =>
      '{"__proto__":{"model":"x"},"model":"constructor","messages":[{"__proto__":1,"role":"constructor","content":"__proto__"}],"constructor":{}}',
  ],
  ['numbers no double holds', () => chat('[1e400,9223372036854775808,-0]')],
  ['a model that cannot be stored', () => '{"model":"a\\u0000\\ud800","messages":[]}'],
  ['a model of 1 MB', () => `{"model":"${'m'.repeat(1_000_000)}","messages":[]}`],
];

/**
 * What is refused is refused before a database is asked, and what the gateway passes it passes whatever it records. With what is
 * stored, a database has to do with characters, with bytes, and with a column of its own.
 */
const STORED = [
  'a text of 5 MB',
  'a million escapes',
  '50,000 members',
  '100,000 integers beyond 2^53',
  'a fraction of 100,000 digits',
];
const RECORDED = [
  'a text of 4 MB',
  'invalid UTF-8',
  'prototypes',
  'numbers no double holds',
  'a model that cannot be stored',
  'a model of 1 MB',
];

describeOnBothDatabases('bad input', ({ name: database, takePlace }) => {
  const all = database === 'SQLite';
  const bodies = showsAll(database) ? HEAVY : HEAVY.filter(([name]) => STORED.includes(name));
  const passed = all ? PASSED : PASSED.filter(([name]) => RECORDED.includes(name));

  beforeAll(async () => {
    place = await takePlace();
    spandrel = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    api = spandrel.api;
  });
  afterAll(() => place?.close());
  beforeEach(async () => {
    await api.delete('/api/traces');
    expect((await api.post('/api/traces', { id: 't' })).status).toBe(201);
  });

  describe('a body with', () => {
    beforeAll(() => void (apiLoop = new LivezWatch(spandrel.apiUrl, spandrel.pid)));
    afterAll(() => apiLoop?.stop());

    it.each(bodies)('%s', async (name, path, makeBody, expected) => {
      const body = makeBody();
      await apiLoop.slowestMs();
      const { status, text } = await send(path, body);
      const stalled = await apiLoop.slowestMs();
      if (expected === 'exact') {
        expect([status, text.slice(0, 200)]).toEqual([201, expect.any(String)]);
        const value = String(body).slice(String(body).indexOf('"s",') + 4, -1);
        // Compared by hand: a difference of megabytes is nothing to print.
        const stored = await readBack((JSON.parse(text) as { id: string }).id);
        expect(stored.includes(value)).toBe(true);
      } else {
        expect([status, text.slice(0, 200)]).toEqual([expected, expect.any(String)]);
      }
      figure(name, `${stalled} ms`);
      expect(stalled).toBeLessThan(STALL_MS_MAX);
    });
  });

  if (all) tooLarge();

  describe('values', () => {
    it('of any kind come back as they were sent, by every way in', async () => {
      let serial = 0;
      await fc.assert(
        fc.asyncProperty(json, object, object, async (value, metadata, attributes) => {
          const id = `v${serial++}`;
          const members = `"trace_id":"t","name":"s","kind":{"type":"custom","kind":"x","attributes":${attributes}},"input":${value},"metadata":${metadata}`;
          const kept = [`"input":${value},`, `"attributes":${attributes}`, `"metadata":${metadata}`];
          const created = await send('/api/spans', `{"id":"${id}",${members}}`);
          expect([created.status, created.text]).toEqual([201, expect.any(String)]);
          const ingested = await send('/api/ingest', `{"spans":[{"id":"${id}i","status":"running",${members}}]}`);
          expect(ingested.text).toBe('{"accepted":{"traces":0,"spans":1},"rejected":[]}');
          for (const stored of [await readBack(id), await readBack(`${id}i`)]) {
            for (const part of kept) expect(stored).toContain(part);
          }
          const completed = await send(`/api/spans/${id}/complete`, `{"output":${value}}`);
          expect([completed.status, completed.text]).toEqual([200, expect.stringContaining(`"output":${value},`)]);
          expect(await readBack(id)).toBe(completed.text);
        }),
        { numRuns: repetitions(75), seed: TEST_SEED + (place.mode === 'local' ? 11 : 12) },
      );
      expect((await keptAt(place)).faults).toEqual([]);
    });

    it.each(['1e400', '-1e400', '1e-400', '[1e309]', '{"a":9e999}'])(
      '%s are refused, wherever they stand',
      async (value) => {
        for (const body of [span('input', value), span('unknown', value), span('metadata', `{"a":${value}}`)]) {
          expect((await send('/api/spans', body)).status).toBe(400);
          expect((await send('/api/ingest', `{"spans":[${body}]}`)).status).toBe(400);
        }
      },
    );

    it('named twice: the last wins', async () => {
      const { status, text } = await send(
        '/api/spans',
        '{"trace_id":"nowhere","name":"a","name":"b","input":{"k":1,"k":2},"trace_id":"t"}',
      );
      expect(status).toBe(201);
      const stored = await readBack((JSON.parse(text) as { id: string }).id);
      expect(stored).toContain('"input":{"k":2}');
      expect(stored).toContain('"name":"b"');
    });

    it.each(POISON)('%s is an ordinary id, name, model, tag and session', async (name) => {
      const kind = { type: 'llm_call', model: name, provider: name, input_tokens: 1, output_tokens: 1 };
      await api.post('/api/traces', { id: name, name, tags: [name], session_id: name, user_id: name });
      const id = `${name}.1`;
      for (const body of [
        { id: name, trace_id: name, name, parent_id: name, kind },
        { id, trace_id: name, name, kind: { type: name, [`x${name}`]: 1 } },
      ]) {
        expect((await api.post('/api/spans', body)).status).toBe(201);
      }
      expect(
        (
          await api.post('/api/ingest', {
            spans: [{ id: `${name}.2`, trace_id: name, name, kind, status: 'completed' }],
          })
        ).body,
      ).toMatchObject({
        accepted: { spans: 1 },
      });
      expect((await api.post(`/api/spans/${name}/complete`, {})).body).toMatchObject({
        kind: { model: name, cost: null },
      });
      expect((await api.get(`/api/spans/${id}`)).body).toMatchObject({ kind: { type: name } });
      for (const query of ['tag', 'session_id', 'user_id', 'name_contains']) {
        expect((await api.traces(`${query}=${name}`)).map((trace) => trace.id)).toEqual([name]);
      }
      expect((await api.traces(`tag=${name}`))[0]).toMatchObject({ models: [name], span_count: 3, total_cost: null });
      for (const query of ['model', 'provider', 'parent_id']) {
        expect((await api.spans(`${query}=${name}`)).length).toBeGreaterThan(0);
      }
      expect((await api.get(`/api/sessions/${name}`)).status).toBe(200);
      expect((await api.get(`/api/spans?${name}=1&${name}[limit]=2&limit=10`)).status).toBe(400);
      expect((await api.get(`/api/spans?status=${name}`)).status).toBe(400);
      expect((await api.get(`/api/spans?sort_by=${name}`)).status).toBe(400);
      expect((await keptAt(place)).faults).toEqual([]);
    });

    it('do not stand in for members a body does not have', async () => {
      for (const path of ['/api/spans', '/api/traces', '/api/ingest']) {
        const { status, text } = await send(
          path,
          '{"__proto__":{"trace_id":"t","name":"s","id":"p"},"constructor":{"prototype":{"name":"s"}}}',
        );
        expect([path, status]).toEqual([path, { '/api/spans': 400, '/api/traces': 201, '/api/ingest': 200 }[path]]);
        expect(text).not.toContain('"id":"p"');
      }
      expect((await api.post<{ name: null }>('/api/traces', {})).body.name).toBeNull();
    });
  });

  describe('the gateway', () => {
    beforeAll(() => {
      apiLoop = new LivezWatch(spandrel.apiUrl, spandrel.pid);
      gatewayLoop = new LivezWatch(spandrel.gatewayUrl, spandrel.pid);
    });
    afterAll(async () => {
      await apiLoop?.stop();
      await gatewayLoop?.stop();
    });

    it.each(passed)(
      'passes a body with %s as it is, records the call, and its event loop goes on',
      async (name, makeBody) => {
        const body = Buffer.from(makeBody());
        await gatewayLoop.slowestMs();
        await apiLoop.slowestMs();
        provider.requests.length = 0;
        const answer = await fetch(`${spandrel.gatewayUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...place.gatewayHeaders },
          body,
        });
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
        expect(provider.requests.map((call) => call.body.equals(body))).toEqual([true]);
        await until(async () => (await api.traces()).some(({ id, status }) => id !== 't' && status === 'completed'));
        const stalls = [await gatewayLoop.slowestMs(), await apiLoop.slowestMs()];
        figure(name, `gateway ${stalls[0]} ms, API ${stalls[1]} ms`);
        for (const stalled of stalls) expect(stalled).toBeLessThan(STALL_MS_MAX);
      },
    );
  });
});

function tooLarge(): void {
  describe('a body that is too large', () => {
    it.each([
      ['with a length', { 'content-length': '104857600' }],
      ['in chunks', { 'transfer-encoding': 'chunked' }],
    ])('of 100 MB %s is refused before it has been sent, and memory stays flat', async (_how, headers) => {
      forgetPeak(spandrel.pid);
      const before = peakMiB(spandrel.pid);
      const chunk = Buffer.alloc(65_536, 0x20);
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const { promise, resolve } = Promise.withResolvers<{ status: number; sentBytes: number }>();
          let sentBytes = 0;
          let status = 0;
          const sent = request(`${spandrel.apiUrl}/api/spans`, {
            method: 'POST',
            agent: false,
            headers: { 'content-type': 'application/json', ...place.headers, ...(headers as Record<string, string>) },
          });
          const pump = (): void => {
            // The last piece is never sent: who waits for the whole body never answers.
            while (status === 0 && sentBytes < 104_857_600 - chunk.length && !sent.destroyed) {
              sentBytes += chunk.length;
              if (!sent.write(chunk)) return void sent.once('drain', pump);
            }
          };
          sent.on('response', (answer) => {
            status = answer.statusCode!;
            answer.resume();
            resolve({ status, sentBytes });
            sent.destroy();
          });
          sent.on('error', () => resolve({ status, sentBytes }));
          pump();
          return promise;
        }),
      );
      // A client that goes on sending may see the reset before the answer. How much it has sent by then is a matter of how busy
      // the machine is.
      for (const { status } of outcomes) expect([413, 0]).toContain(status);
      figure(
        '5 × 100 MB',
        `+${peakMiB(spandrel.pid) - before} MiB, ${outcomes.map(({ sentBytes }) => sentBytes >> 20).join(' ')} MiB sent`,
      );
      expect(peakMiB(spandrel.pid) - before).toBeLessThan(160);
    });

    it('is refused by its head alone', async () => {
      const head =
        'POST /api/spans HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n' +
        Object.entries(place.headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('');
      for (const expect100 of ['', 'Expect: 100-continue\r\n']) {
        const { statuses } = await sendRaw(spandrel.apiUrl, `${head}${expect100}\r\n`);
        expect(statuses.at(-1)).toBe(413);
      }
    });

    it('once unpacked is refused as it is', async () => {
      const bytes = bomb();
      expect(bytes.length).toBeLessThan(1 << 20);
      forgetPeak(spandrel.pid);
      const before = peakMiB(spandrel.pid);
      for (const encoding of ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'GZIP']) {
        expect((await send('/api/traces', bytes, { 'content-encoding': encoding })).status).toBe(415);
      }
      expect(peakMiB(spandrel.pid) - before).toBeLessThan(64);
    });
  });
}

/** Figures for docs/reliability.md, shown with `SPANDREL_TEST_FIGURES=1`. */
function figure(what: string, value: string): void {
  if (process.env['SPANDREL_TEST_FIGURES']) process.stderr.write(`${what}: ${value}\n`);
}
