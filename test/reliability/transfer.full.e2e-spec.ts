/** Export and import on the started program: what only a process with a memory, a disk and a network shows. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { LiveMemory } from '../support/live-memory.ts';
import { LivezWatch } from '../support/livez-watch.ts';
import type { Place, Program } from '../support/places.ts';
import { programTime } from '../support/program-time.ts';
import { holdSockets } from '../support/raw-http.ts';
import { until } from '../support/spandrel.ts';
import { importJson, type ImportJsonAnswer } from '../transfer/import-json.ts';
import { describeOnBothDatabases, POSTGRES, SQLITE } from '../support/databases.ts';

// Bounds in milliseconds, on machines that may be doing something else for a moment.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

/** The text of an export with so many spans in traces of a hundred, each with an input of about so many bytes, in pieces. */
function* fileOf(spans: number, inputBytes: number): Generator<string> {
  const time = '"started_at":"2026-01-02T03:04:05.006Z"';
  yield `{"version":1,"traces":[{"id":"t0",${time}}`;
  for (let n = 1; n * 100 < spans; n++) yield `,{"id":"t${n}",${time}}`;
  yield '],"spans":[';
  for (let n = 0; n < spans; n++) {
    const input = JSON.stringify({ n, text: `tide ${n} `.repeat(inputBytes / 9) });
    yield (
      `${n === 0 ? '' : ',\n'}{"id":"s${n}","trace_id":"t${Math.floor(n / 100)}","name":"s","input":${input},` +
        `"status":"completed",${time},"ended_at":"2026-01-02T03:04:06.006Z"}`
    );
  }
  yield ']}';
}

function streamOf(texts: Generator<string>): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      let text = '';
      while (text.length < 64 * 1024) {
        const { done, value } = texts.next();
        if (done) break;
        text += value;
      }
      if (text === '') controller.close();
      else controller.enqueue(encoder.encode(text));
    },
  });
}

/** What is known of an export, whatever was written beside it. */
interface Exported {
  bytes: number;
  /** Digest of the lines of those items that {@link fileOf} made. */
  digest: string;
}

/** Reads an export as it comes. */
async function exported({ apiUrl }: Program, { headers }: Place): Promise<Exported> {
  const { body } = await fetch(`${apiUrl}/api/export/json`, { headers });
  return digested(body!);
}

async function digested(chunks: ReadableStream<Uint8Array>): Promise<Exported> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = '';
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (/^\{"id":"[st]\d/.test(line)) hash.update(line.replace(/,$/, ''));
  }
  return { bytes, digest: hash.digest('hex') };
}

/** Writes spans, one after the other, until asked to stop. */
function writeSpans({ api, pid }: Program): { stop(): Promise<number[]> } {
  const took: number[] = [];
  let writing = true;
  const done = (async () => {
    await api.post('/api/traces', { id: 'live' });
    while (writing) {
      const elapsed = programTime(pid);
      const { status } = await api.post('/api/spans', { trace_id: 'live', name: 'live', input: 'x'.repeat(1_000) });
      expect(status).toBe(201);
      took.push(elapsed());
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    async stop() {
      writing = false;
      await done;
      return took.toSorted((a, b) => a - b);
    },
  };
}

const quantile = (sorted: readonly number[], q: number): number =>
  Math.round(sorted[Math.floor((sorted.length - 1) * q)]!);

/** A program with data of its own. */
interface Held {
  place: Place;
  program: Program;
  memory: LiveMemory;
  /** What it needed for 8 MB, in MiB. */
  before: number;
}

/** Anyone who kept all of 40 MB in memory would need 32 MiB more than for 8 MB, as bytes alone. */
const GROWN_MIB_MAX = 26;

/** Does it while others write there, and sees that neither they nor the memory of the programs suffer. */
async function held<T>(those: readonly Held[], work: () => Promise<T>): Promise<T> {
  const watched = [];
  for (const one of those) {
    await one.memory.take();
    const { apiUrl, pid } = one.program;
    watched.push({ ...one, livez: new LivezWatch(apiUrl, pid), writers: writeSpans(one.program) });
  }
  const result = await work();
  const seen = [];
  for (const { before, memory, livez, writers } of watched) {
    const writes = await writers.stop();
    const { peakMiB, looks } = await memory.take();
    seen.push({ writes, slowest: await livez.slowestMs(), grown: peakMiB - before, looks });
    await livez.stop();
  }
  for (const { writes, slowest, grown, looks } of seen) {
    if (process.env['SPANDREL_TEST_FIGURES']) {
      const ms = [0.5, 0.99, 1].map((q) => quantile(writes, q));
      process.stderr.write(`${JSON.stringify({ grown, looks, slowest, writes: writes.length, ms })}\n`);
    }
    // The last look is that behind the work.
    expect(looks).toBeGreaterThan(1);
    expect(grown).toBeLessThan(GROWN_MIB_MAX);
    expect(slowest).toBeLessThan(1_000);
    expect(writes.length).toBeGreaterThan(10);
    expect(quantile(writes, 0.5)).toBeLessThan(200);
  }
  return result;
}

describe('40 MB', () => {
  const SPANS = 2_000;
  const SPANS_BEFORE = 400;
  const INPUT_BYTES = 20_000;
  let sqlite: Held;
  let postgres: Held;
  let digest: string;

  const take = async (takePlace: () => Promise<Place>): Promise<Held> => {
    const place = await takePlace();
    const memory = new LiveMemory();
    const program = await place.start({ command: 'server', env: memory.environment() });
    await importJson(program.apiUrl, streamOf(fileOf(SPANS_BEFORE, INPUT_BYTES)), { headers: place.headers });
    await exported(program, place);
    return { place, program, memory, before: (await memory.take()).peakMiB };
  };
  beforeAll(async () => {
    sqlite = await take(SQLITE.takePlace);
    postgres = await take(POSTGRES.takePlace);
  });
  afterAll(async () => {
    for (const one of [sqlite, postgres]) {
      await one?.place.close();
    }
  });

  const expectAll = ({ status, body }: ImportJsonAnswer): void => {
    expect([status, body.rejected]).toEqual([200, []]);
    expect(body.imported.spans).toBeGreaterThanOrEqual(SPANS);
  };

  it('go into SQLite in constant memory, and hold up nobody', async () => {
    expectAll(await held([sqlite], () => importJson(sqlite.program.apiUrl, streamOf(fileOf(SPANS, INPUT_BYTES)))));
  });

  it('go from SQLite to Postgres in constant memory, and hold up nobody', async () => {
    await held([sqlite, postgres], async () => {
      const { body } = await fetch(`${sqlite.program.apiUrl}/api/export/json`);
      const [toImport, toDigest] = body!.tee();
      const importing = importJson(postgres.program.apiUrl, toImport, { headers: postgres.place.headers });
      const sent = await digested(toDigest);
      digest = sent.digest;
      expect(sent.bytes).toBeGreaterThan(40e6);
      expectAll(await importing);
    });
  });

  it('come out of Postgres as they went in, in constant memory, and hold up nobody', async () => {
    const out = await held([postgres], () => exported(postgres.program, postgres.place));
    expect(out.bytes).toBeGreaterThan(40e6);
    expect(out.digest).toBe(digest);
  });
});

describeOnBothDatabases('an import that is interrupted', ({ name, takePlace }) => {
  /** Postgres takes several times as long for each. */
  const SPANS = name === 'SQLite' ? 4_000 : 2_000;
  const TRACES = SPANS / 100;
  let place: Place;
  let server: Program;
  let whole: Exported;
  const file = (): ReadableStream => streamOf(fileOf(SPANS, 500));
  const importFile = (signal?: AbortSignal): Promise<ImportJsonAnswer> =>
    importJson(server.apiUrl, file(), { headers: place.headers, ...(signal && { signal }) });
  /** Spans that are there. */
  const kept = async (): Promise<number> =>
    (await server.api.get<{ span_count: number }>('/api/stats')).body.span_count;

  beforeAll(async () => {
    place = await takePlace();
    server = await place.start({ command: 'server' });
    await importFile();
    whole = await exported(server, place);
  });
  afterAll(() => place?.close());
  beforeEach(async () => {
    expect((await server.api.delete('/api/traces')).status).toBe(200);
    expect(await kept()).toBe(0);
  });

  it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])('by %s is finished by sending the file again', async (signal) => {
    const importing = importFile().catch(() => undefined);
    await until(async () => (await kept()) > 0, 60_000);
    const code = await server.stop(signal);
    const answer = await importing;
    if (signal === 'SIGTERM') {
      expect([code, answer?.status, answer?.body.code]).toEqual([0, 503, 'unavailable']);
      expect(answer?.body.detail).toMatch(
        new RegExp(
          `^the service is stopping; imported so far: ${TRACES} traces, \\d+ spans; send the file again to go on$`,
        ),
      );
    }
    const uploads = join(place.dataDir, 'uploads');
    expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([]);
    server = await place.start({ command: 'server' });
    expect(await kept()).toBeLessThan(SPANS);
    const again = await importFile();
    expect(again.body).toMatchObject({ imported: { traces: TRACES, spans: SPANS }, rejected_count: 0 });
    expect(await exported(server, place)).toEqual(whole);
  });

  it('by its client stays as it is, and holds up nobody', async () => {
    const leaving = new AbortController();
    const importing = importFile(leaving.signal).catch(() => 'gone');
    await until(async () => (await kept()) > 0, 60_000);
    leaving.abort();
    expect(await importing).toBe('gone');
    let last = -1;
    await until(async () => {
      const now = await kept();
      const still = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return still;
    });
    expect(last).toBeLessThan(SPANS);
    const { body } = await server.api.get<{ spans: SpanResource[] }>('/api/traces/t0');
    expect(body.spans[0]).toMatchObject({ id: 's0', status: 'completed' });
    expect(server.output()).not.toMatch(/unhandled|"level":"(error|fatal)"/);
  });

  it('by clients that send half of it imports nothing, and their files are gone', async () => {
    const SENDERS = 20;
    const openFiles = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
    const before = openFiles();
    const fields = { host: 'localhost', 'content-type': 'application/json', 'content-length': 9_000, ...place.headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api/import/json HTTP/1.1\r\n${lines.join('')}\r\n`;
    const senders = await holdSockets(server.apiUrl, SENDERS, `${head}{"version":1,"traces":[{"id":"t"}]`);
    await until(() => openFiles() >= before + 2 * SENDERS);
    senders.close();
    await until(() => openFiles() < before + SENDERS);
    expect(await server.api.traces()).toEqual([]);
  });
});
