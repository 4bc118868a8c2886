/** Small exports that mean a lot: the program answers, keeps its memory, and serves others meanwhile. */
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnDatabase, SQLITE } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { forgetPeak, peakMiB } from '../support/process-memory.ts';
import { sendRequest } from '../support/send-request.ts';
import { PROTOBUF } from './otlp-door.ts';

/** What bodies may take, of the default limits: the largest one four times over. */
const BODY_MIB = 64;
const GROWTH_MIB_MAX = 4 * BODY_MIB;

const MILLION = 1_000_000;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.from(bytes);
  }
}

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);

/** A field without content, so often. */
const empty = (number: number, times: number): Buffer => Buffer.alloc(2 * times, Buffer.from([number * 8 + 2, 0]));

/** An export of one span with ids and a start. */
const spanWith = (content: Buffer): Buffer => {
  const start = Buffer.from([0x39, 0, 0, 0, 0, 1, 0, 0, 0]);
  return field(
    1,
    field(2, field(2, Buffer.concat([field(1, Buffer.alloc(16, 7)), field(2, Buffer.alloc(8, 7)), start, content]))),
  );
};

/** 512 MiB of zeros: parts that are packed by themselves follow on each other, and unpack to all of it. */
const inParts = (pack: (part: Buffer) => Buffer): Buffer =>
  Buffer.concat(Array<Buffer>(32).fill(pack(Buffer.alloc(2 ** 24))));

const gzip = { 'content-encoding': 'gzip' };
const zstd = { 'content-encoding': 'zstd' };
const json = { 'content-type': 'application/json' };

const BOMBS: [what: string, status: number, body: () => Buffer, headers?: Record<string, string>][] = [
  ['gzip of 512 MiB', 413, () => inParts((part) => gzipSync(part, { strategy: constants.Z_RLE })), gzip],
  ['zstd of 512 MiB', 413, () => inParts(zstdCompressSync), zstd],
  ['four million empty spans', 413, () => field(1, field(2, empty(2, 4 * MILLION)))],
  ['nearly two million empty spans', 400, () => field(1, field(2, empty(2, 1.9 * MILLION)))],
  ['a span of nearly two million events', 413, () => spanWith(empty(11, 1.9 * MILLION))],
  ['a span of nearly two million links', 413, () => spanWith(empty(13, 1.9 * MILLION))],
  ['a span of nearly half a million events', 200, () => spanWith(empty(11, 0.49 * MILLION))],
  ['a span of nearly half a million links', 200, () => spanWith(empty(13, 0.49 * MILLION))],
  ['an endless varint', 400, () => Buffer.alloc(30 * MILLION, 0xff)],
  ['unknown fields without end', 413, () => Buffer.alloc(30 * MILLION, Buffer.from([0x18, 1]))],
  ['resources without end', 413, () => empty(1, 15 * MILLION)],
  ['depth in protobuf', 400, () => Buffer.alloc(30 * MILLION, 0x0a)],
  ['depth in JSON', 400, () => Buffer.from(`{"x":${'['.repeat(30 * MILLION)}`), json],
  ['objects in JSON', 413, () => Buffer.from(`{"x":[${'{},'.repeat(10 * MILLION)}{}]}`), json],
];

describeOnDatabase(SQLITE, 'bombs', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({ command: 'server' });
  });
  afterAll(() => place?.close());

  it.each(BOMBS)('%s: %d, in bounded memory, and others are served', async (_what, status, body, headers = {}) => {
    const bomb = body();
    const { pid, apiUrl, api } = program;
    forgetPeak(pid);
    const before = peakMiB(pid);
    const bombs = [1, 2].map(() =>
      sendRequest(`${apiUrl}/v1/traces`, { method: 'POST', headers: { ...PROTOBUF, ...headers }, body: bomb }),
    );
    const served = await api.post('/api/traces', {});
    expect(served.status).toBe(201);
    const answers = await Promise.all(bombs);
    const statuses = answers.map((answer) => answer.status);
    // Items count against what may be read at once, so that the second may be asked to come again.
    expect(statuses).toContain(status);
    for (const each of statuses) expect([status, 503]).toContain(each);
    expect(peakMiB(pid) - before).toBeLessThan(GROWTH_MIB_MAX);
  });
});
