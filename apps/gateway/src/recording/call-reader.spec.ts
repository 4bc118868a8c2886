import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { atOnce, createLogger, type PluginEntry } from '@spandrel/kernel';
import type { Masking } from '@spandrel/masking/engine';
import type { Endpoint, Provider } from '@spandrel/plugin-api';
import { CallerKey, keyDigest } from '../access/caller-key.js';
import { NO_BODY } from './body-buffer.js';
import type { CallRecord } from './call-facts.js';
import { recordCall, type CallToRead } from './build-recording.js';
import { CallReader, type CallReaderOptions } from './call-reader.js';
import { packBody, unpackBody } from './packed-call.js';
import { Secrets } from './secrets.js';

/** A provider whose thread waits for as many milliseconds as the model of a request says, and has an endpoint of another name. */
const SLOW = `export default { extensionPoint: 'provider', apiVersion: 1, name: 'slow', setup: () => ({
  defaultBaseUrl: null, hosts: [], prices: {}, chat: {}, recognises: () => 'no', errorBody: () => ({}), errorMessage: () => undefined,
  endpoint: ({ path }) => ({ name: path === '/other' ? 'other' : 'slow', framing: 'sse',
    readRequest: (body) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, body.ms ?? 0);
      return { model: 'm', input: body, streaming: false, parameters: {} };
    },
    readAnswer: () => null, readStream: () => null }),
}) };`;

const HERE: Endpoint = {
  name: 'slow',
  framing: 'sse',
  readRequest: (body) => ({ model: 'm', input: body, streaming: false, parameters: {} }),
  readAnswer: () => null as never,
  readStream: () => null as never,
};

let folder: string;
let plugins: PluginEntry[];
const readers: CallReader[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-reader-'));
  const file = join(folder, 'slow.mjs');
  writeFileSync(file, SLOW);
  plugins = [{ use: file, config: {} }];
});
afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));
afterAll(() => rmSync(folder, { recursive: true }));

function makeReader(options: Partial<CallReaderOptions> = {}): CallReader {
  const parts = { plugins, logger: createLogger('silent', 'test'), onMaskerFailed: () => undefined };
  const reader = new CallReader(parts, { hereBytesMax: 100, readMs: 600_000, threadsMax: 1, ...options });
  readers.push(reader);
  return reader;
}

function toRead(body: object, caller: string | null = null, path = '/'): CallToRead {
  const data = Buffer.from(JSON.stringify(body));
  const record: CallRecord = {
    facts: {
      id: 'call',
      traceId: 'trace',
      parentId: null,
      trace: { user_id: 'u' },
      provider: 'slow',
      wire: { provider: 'slow', method: 'POST', path },
      startedAt: 0,
      startedTick: 0,
      capture: { mode: 'full' },
      requestEncoding: null,
    },
    wire: { entry: { name: 'slow', provider: {} as Provider, base: null }, endpoint: HERE },
    request: { pieces: [{ data, at: 0 }], tail: [], gap: 'none', bytes: data.length },
    answer: { status: 200, statusMessage: 'OK', contentType: null, contentEncoding: null, contentLength: 0 },
    response: NO_BODY,
    outcome: { kind: 'answered' },
    endedTick: 1,
  };
  const key = caller === null ? null : new CallerKey(keyDigest(caller), null);
  return { record, rule: { kind: 'known', masking: null }, secrets: new Secrets(['canary-1']), caller: key };
}

const parsed = ({ span }: { span: string }) =>
  JSON.parse(span) as { input?: unknown; metadata: Record<string, unknown> };

describe('CallReader', () => {
  it('reads short calls at once, and long ones aside to the same end', async () => {
    const reader = makeReader();
    expect(reader.isLong(toRead({ say: 'canary-1' }))).toBe(false);
    const long = toRead({ say: 'x'.repeat(200), key: 'canary-1' });
    expect(reader.isLong(long)).toBe(true);
    const here = recordCall(long);
    expect(parsed(here).input).toEqual({ say: 'x'.repeat(200), key: '[redacted]' });
    expect(await reader.readAside(long)).toEqual(here);
  });

  it('takes a quarter of the length for long where texts are masked, less where rules take long, and very many pieces', () => {
    const reader = makeReader({ hereBytesMax: 1_000 });
    const call = toRead({ say: 'x'.repeat(200) });
    const isLongBy = (work: number): boolean => {
      const masking = { of: () => ({ work }) } as unknown as Masking;
      return reader.isLong({
        ...call,
        rule: { kind: 'known', masking, source: { rules: [], hash_key: null } as never },
      });
    };
    expect([reader.isLong(call), isLongBy(1), isLongBy(6), isLongBy(10)]).toEqual([false, false, false, true]);
    expect(makeReader({ hereBytesMax: 800 }).isLong(call)).toBe(false);
    const pieces = Array.from({ length: 10_001 }, () => ({ data: Buffer.alloc(0), at: 0 }));
    const record = { ...call.record, response: { pieces, tail: [], gap: 'none' as const, bytes: 0 } };
    expect(reader.isLong({ ...call, record })).toBe(true);
  });

  it('leaves half of the queue to others than one caller', async () => {
    const reader = makeReader({ queueMax: 4 });
    const mine = [1, 2, 3].map(() => reader.readAside(toRead({ ms: 100 }, 'mine')));
    const others = ['a', 'b'].map((name) => reader.readAside(toRead({ ms: 1 }, name)));
    const reasons = (await Promise.all([...mine, ...others])).map(({ withheld }) => withheld ?? 'read');
    expect(reasons).toEqual(['read', 'read', 'busy', 'read', 'read']);
    expect(await reader.readAside(toRead({ ms: 1 }, 'mine'))).not.toHaveProperty('withheld');
  });

  it('withholds what was said, and what the headers said, where the thread knows another endpoint', async () => {
    const reading = await makeReader().readAside(toRead({ say: 'x' }, null, '/other'));
    expect(parsed(reading)).not.toHaveProperty('input');
    expect([reading.withheld, parsed(reading).metadata['content_withheld']]).toEqual(['failed', 'failed']);
    expect(JSON.parse(reading.trace)).not.toHaveProperty('user_id');
  });
});

describe('packBody', () => {
  it('gives the pieces back as they were', () => {
    const pieces = ['one', '', 'two'].map((text, n) => ({ data: Buffer.from(text), at: n + 0.25 }));
    const body = { pieces, tail: [{ data: Buffer.from('end'), at: 9 }], gap: 'in-member' as const, bytes: 1_000 };
    expect(unpackBody(atOnce(packBody(body)))).toEqual(body);
    expect(unpackBody(atOnce(packBody(NO_BODY)))).toEqual({ pieces: [], tail: [], gap: 'none', bytes: 0 });
  });

  it('needs the lists no more once it has begun', () => {
    const body = { pieces: ['one', 'two'].map((text) => ({ data: Buffer.from(text), at: 1 })), tail: [], bytes: 6 };
    const packing = packBody({ ...body, gap: 'none' });
    packing.next();
    const before = body.pieces.splice(0);
    expect(unpackBody(atOnce(packing)).pieces).toEqual(before);
  });
});
