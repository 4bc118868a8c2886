/** Export and import on the started program: what only a process with a memory, a disk and a network shows. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { LivezWatch } from '../support/livez-watch.ts';
import { forgetPeak, peakMiB } from '../support/process-memory.ts';
import { holdSockets } from '../support/raw-http.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { importJson } from '../transfer/import-json.ts';

const servers: Spandrel[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop('SIGKILL');
});

async function start(dataDir = tempDir()): Promise<Spandrel> {
  const server = await startSpandrel({ command: 'server', dataDir });
  servers.push(server);
  return server;
}

/** The text of an export with so many spans in traces of a hundred, of about five KiB each, in pieces. */
function* fileOf(spans: number): Generator<string> {
  const time = '"started_at":"2026-01-02T03:04:05.006Z"';
  yield '{"version":1,"traces":[{"id":"t0"}';
  for (let n = 1; n * 100 < spans; n++) yield `,{"id":"t${n}",${time}}`;
  yield '],"spans":[';
  for (let n = 0; n < spans; n++) {
    const input = JSON.stringify({ n, text: `${n} `.repeat(5_000 / `${n} `.length) });
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

/** Size and digest of an export without its head, read as it comes. */
async function exported(baseUrl: string): Promise<{ bytes: number; digest: string }> {
  const answer = await fetch(`${baseUrl}/api/export/json`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of answer.body! as ReadableStream<Uint8Array>) {
    hash.update(bytes === 0 ? chunk.subarray(chunk.indexOf(10)) : chunk);
    bytes += chunk.length;
  }
  return { bytes, digest: hash.digest('hex') };
}

/** Writes spans, one after the other, until told to stop. */
function writeSpans(api: Api): { stop(): Promise<number[]> } {
  const took: number[] = [];
  let writing = true;
  const done = (async () => {
    await api.post('/api/traces', { id: 'live' });
    while (writing) {
      const begun = performance.now();
      const { status } = await api.post('/api/spans', { trace_id: 'live', name: 'live', input: 'x'.repeat(1_000) });
      expect(status).toBe(201);
      took.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
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

describe('100 MB', () => {
  const SPANS = 20_000;

  it('go in and out in constant memory, and hold up nobody', async () => {
    const [first, second] = [await start(), await start()];
    const api = new Api(first.apiUrl);
    await importJson(first.apiUrl, streamOf(fileOf(8_000)));
    await exported(first.apiUrl);
    forgetPeak(first.pid);
    const before = peakMiB(first.pid);
    const watch = new LivezWatch(first.apiUrl);

    const whileImporting = writeSpans(api);
    const result = await importJson(first.apiUrl, streamOf(fileOf(SPANS)));
    const importing = await whileImporting.stop();
    expect([result.status, result.body.rejected, result.body.imported]).toEqual([
      200,
      [],
      { traces: SPANS / 100, spans: SPANS, datasets: 0, datapoints: 0 },
    ]);
    const afterImport = peakMiB(first.pid);
    const slowestImporting = await watch.slowestMs();

    const whileExporting = writeSpans(api);
    const { bytes } = await exported(first.apiUrl);
    const exporting = await whileExporting.stop();
    const afterExport = peakMiB(first.pid);
    const slowestExporting = await watch.slowestMs();
    await watch.stop();
    if (process.env['SPANDREL_TEST_FIGURES']) {
      const figures = [importing, exporting].map((took) => [0.5, 0.99, 1].map((q) => quantile(took, q)));
      process.stderr.write(`${JSON.stringify({ before, afterImport, afterExport, figures, bytes })}\n`);
    }

    expect(bytes).toBeGreaterThan(100e6);
    expect(afterImport - before).toBeLessThan(100);
    expect(afterExport - before).toBeLessThan(100);
    expect(Math.max(slowestImporting, slowestExporting)).toBeLessThan(1_000);
    for (const took of [importing, exporting]) {
      expect(took.length).toBeGreaterThan(20);
      expect(quantile(took, 0.5)).toBeLessThan(200);
    }
    const source = await fetch(`${first.apiUrl}/api/export/json`);
    expect((await importJson(second.apiUrl, source.body!)).body.rejected).toEqual([]);
    expect(await exported(second.apiUrl)).toEqual(await exported(first.apiUrl));
  }, 300_000);
});

describe('an import that is interrupted', () => {
  const SPANS = 6_000;
  const TRACES = SPANS / 100;

  it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
    'by %s is finished by sending the file again',
    async (signal) => {
      const dataDir = tempDir();
      let server = await start(dataDir);
      const importing = importJson(server.apiUrl, streamOf(fileOf(SPANS))).catch(() => undefined);
      await until(async () => (await new Api(server.apiUrl).get('/api/spans/s255')).status === 200, 60_000);
      const code = await server.stop(signal);
      const answer = await importing;
      if (signal === 'SIGTERM') {
        expect([code, answer?.status, answer?.body.code]).toEqual([0, 503, 'unavailable']);
        expect(answer?.body.detail).toMatch(
          new RegExp(`^the service is stopping; imported so far: ${TRACES} traces, \\d+ spans, .* again to go on$`),
        );
      }
      const uploads = join(dataDir, 'uploads');
      expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([]);
      server = await start(dataDir);
      const again = await importJson(server.apiUrl, streamOf(fileOf(SPANS)));
      expect(again.body).toMatchObject({ imported: { traces: TRACES, spans: SPANS }, rejected_count: 0 });
      const other = await start();
      await importJson(other.apiUrl, streamOf(fileOf(SPANS)));
      expect((await exported(server.apiUrl)).bytes).toBe((await exported(other.apiUrl)).bytes);
    },
    180_000,
  );

  it('by its client stays as it is, and holds up nobody', async () => {
    const server = await start();
    const leaving = new AbortController();
    const importing = importJson(server.apiUrl, streamOf(fileOf(SPANS)), { signal: leaving.signal }).catch(
      () => 'gone',
    );
    const api = new Api(server.apiUrl);
    const total = async (): Promise<number> => {
      const traces = await api.traces();
      return traces.reduce((sum, { span_count: spans }) => sum + spans, 0);
    };
    await until(async () => (await total()) > 0, 60_000);
    leaving.abort();
    expect(await importing).toBe('gone');
    let last = -1;
    await until(async () => {
      const now = await total();
      const still = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return still;
    }, 30_000);
    expect(last).toBeLessThan(SPANS);
    const { body } = await api.get<{ spans: SpanResource[] }>('/api/traces/t0');
    expect(body.spans[0]).toMatchObject({ id: 's0', status: 'completed' });
    expect(server.output()).not.toMatch(/unhandled|"level":"(error|fatal)"/);
  }, 120_000);

  it('by clients that send half of it imports nothing, and their files are gone', async () => {
    const server = await start();
    const { host } = new URL(server.apiUrl);
    const head = `POST /api/import/json HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n`;
    const held = await holdSockets(server.apiUrl, 20, `${head}{"version":1,"traces":[{"id":"t"}]`);
    held.close();
    await until(() => readdirSync(`/proc/${server.pid}/fd`).length < 60);
    expect(await new Api(server.apiUrl).traces()).toEqual([]);
  }, 60_000);
});
