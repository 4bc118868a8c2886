/** Datasets on the started program: what only a process with a disk and a network shows. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { DatapointResource, DatasetResource } from '@spandrel/contract';
import { Api } from './support/api.ts';
import { LivezWatch } from './support/livez-watch.ts';
import { forgetPeak, peakMiB } from './support/process-memory.ts';
import { holdSockets, sendRaw } from './support/raw-http.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';
import { uploadForm, uploadRaw } from './support/upload.ts';

const JSONL = 'application/x-ndjson';
const MIB = 1024 * 1024;

let server: Spandrel;
let api: Api;

beforeAll(async () => {
  server = await startSpandrel({ command: 'server' });
  api = new Api(server.apiUrl);
}, 30_000);
afterAll(() => server.stop('SIGKILL'));

const create = async (client = api): Promise<string> =>
  (await client.post<DatasetResource>('/api/datasets', { name: 'd' })).body.id;
const raw = (id: string, type: string, body: Parameters<typeof uploadRaw>[3], options = {}) =>
  uploadRaw(server.apiUrl, id, type, body, options);
const rows = (count: number): string =>
  Array.from({ length: count }, (_, n) => `{"input":"question ${n}","expected":"answer ${n}"}\n`).join('');

/** Files that uploads have left on disk. */
function leftovers(dataDir: string): string[] {
  const folder = join(dataDir, 'uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Rows of imports and datapoints that the tables hold. */
function stored(dataDir: string): { datapoints: number; imports: number } {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    const count = (table: string): number => db.prepare(`select count(*) from ${table}`).pluck().get() as number;
    return { datapoints: count('datapoint'), imports: count('dataset_import') };
  } finally {
    db.close();
  }
}

/** A body in pieces, without a length. */
function stream(pieces: Iterable<Uint8Array>): ReadableStream {
  const iterator = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

describe('a file for an import', () => {
  it.each([
    ['UTF-16', 'text/csv', Buffer.from('\ufeffinput\n1\n', 'utf16le'), /^line 1: .*UTF-16/],
    ['Latin-1', 'text/csv', Buffer.from('input\n1\ncaf\xe9\n', 'latin1'), /^line 3: .*UTF-8/],
    ['ragged CSV', 'text/csv', Buffer.from('input,target\n1,2\n\n3\n'), /^line 4: the row has 1 cells/],
    ['an object', 'application/json', Buffer.from('{"input":1}'), /^line 1: .*not a JSON array/],
    ['two arrays', 'application/json', Buffer.from('[{"input":1}]\n[]'), /^line 2: .*behind the end/],
    ['half a row', JSONL, Buffer.from('{"input":1}\n{"input":'), /^line 2: not valid JSON/],
    ['a row beyond the limit of a body', JSONL, Buffer.alloc(11 * MIB, 'x'), /^line 1: .*larger than 10485760 bytes/],
    ['depth', JSONL, Buffer.from('['.repeat(100_000)), /^line 1: JSON nests deeper/],
  ])('that holds %s is rejected with the line', async (_what, type, body, detail) => {
    const id = await create();
    const answer = await raw(id, type, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    expect(answer.body.detail).toMatch(detail);
    expect((await api.get<DatasetResource>(`/api/datasets/${id}`)).body.datapoint_count).toBe(0);
    expect(leftovers(server.dataDir)).toEqual([]);
  });

  it('may begin with a byte order mark', async () => {
    const id = await create();
    for (const [name, text] of [
      ['a.jsonl', '{"input":1}'],
      ['a.json', '[{"input":1}]'],
      ['a.csv', 'input\n1'],
    ] as const) {
      const answer = await uploadForm(server.apiUrl, id, [{ name, content: `\ufeff${text}` }]);
      expect([name, answer.status, answer.body.imported]).toEqual([name, 201, 1]);
    }
  });

  it('may be as large as the limit, and no byte larger', async () => {
    const id = await create();
    const large = Buffer.alloc(100 * MIB + 1, `${' '.repeat(1_023)}\n`);
    const fits = await raw(id, JSONL, large.subarray(1));
    expect([fits.status, fits.body.imported]).toEqual([201, 0]);
    const pieces = Array.from({ length: 101 }, (_, i) => large.subarray(i * MIB, (i + 1) * MIB));
    for (const answer of [
      await raw(id, JSONL, large),
      await raw(id, JSONL, stream(pieces)),
      await uploadForm(server.apiUrl, id, [{ name: 'a.jsonl', content: large }]),
      await uploadForm(server.apiUrl, id, [
        { field: 'a', name: 'a.jsonl', content: large },
        { name: 'b.jsonl', content: large },
      ]),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
    }
    expect(leftovers(server.dataDir)).toEqual([]);
  }, 60_000);

  it('is not taken compressed, nor in a format that is not known', async () => {
    const id = await create();
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
      const answer = await raw(id, JSONL, gzipSync(rows(1)), { headers: { 'content-encoding': encoding } });
      expect([encoding, answer.status, answer.body.code]).toEqual([encoding, 415, 'unsupported_media_type']);
    }
    const identity = await raw(id, JSONL, rows(1), { headers: { 'content-encoding': 'identity' } });
    expect(identity.status).toBe(201);
    for (const type of [
      'text/plain',
      'application/octet-stream',
      'application/xml',
      'nonsense',
      'application/x.spandrel.streamed',
    ]) {
      const answer = await raw(id, type, rows(1));
      expect([type, answer.status, answer.body.code]).toEqual([type, 415, 'unsupported_media_type']);
      expect(answer.body.detail).toContain('.jsonl');
    }
    expect((await uploadForm(server.apiUrl, id, [{ name: 'a.xlsx', content: 'x' }])).status).toBe(415);
    const other = await api.send('POST', '/api/datasets', '{}', { 'content-type': 'application/x.spandrel.streamed' });
    expect(other.status).toBe(415);
  });

  it('is the one file of a form, in its field', async () => {
    const id = await create();
    const file = { name: 'a.jsonl', content: rows(2) };
    for (const files of [[], [{ ...file, field: 'other' }], [file, file], [file, { ...file, field: 'other' }]]) {
      const answer = await uploadForm(server.apiUrl, id, files);
      expect([files.length, answer.status, answer.body.errors]).toEqual([
        files.length,
        400,
        [{ path: 'file', message: 'must be exactly one file' }],
      ]);
    }
    for (const [type, body] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', 'no form'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx',
      ],
    ] as const) {
      const answer = await raw(id, type, body);
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'validation_failed']);
    }
    expect((await api.get<DatasetResource>(`/api/datasets/${id}`)).body).toMatchObject({ version: 0 });
    expect(leftovers(server.dataDir)).toEqual([]);
  });

  it('for a dataset that is not there is refused before it is read', async () => {
    const { hostname, port } = new URL(server.apiUrl);
    const head = `POST /api/datasets/nope/import HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${JSONL}\r\nContent-Length: 1000000\r\n\r\n`;
    const answer = await sendRaw(server.apiUrl, `${head}{"input":1}\n`);
    expect(answer.statuses).toEqual([404]);
    expect(answer.text).toContain('dataset_not_found');
  });

  it('from clients that stand still or leave holds up nobody, and nothing of it stays', async () => {
    const id = await create();
    const { hostname, port } = new URL(server.apiUrl);
    const head = `POST /api/datasets/${id}/import HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${JSONL}\r\nContent-Length: 1000000\r\n\r\n`;
    const slow = await holdSockets(server.apiUrl, 50, `${head}{"input":1}\n`);
    try {
      expect((await raw(id, JSONL, rows(100))).status).toBe(201);
    } finally {
      slow.close();
    }
    const form = `POST /api/datasets/${id}/import HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{"input":1}\n`;
    (await holdSockets(server.apiUrl, 50, form)).close();
    await until(async () => openUploads(server.pid) === 0);
    expect((await api.get<DatasetResource>(`/api/datasets/${id}`)).body).toMatchObject({ datapoint_count: 100 });
    expect(server.output()).not.toMatch(/request failed|unhandled/);
  });
});

/** Spooled files that the process holds open; they have no name. */
function openUploads(pid: number): number {
  const descriptors = readdirSync(`/proc/${pid}/fd`);
  return descriptors.filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).includes('spandrel-upload-')).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

describe('a large import', () => {
  const COUNT = 300_000;

  it('needs no more memory than a small one and holds up nobody; the export neither', async () => {
    const id = await create();
    await raw(id, JSONL, rows(50_000));
    forgetPeak(server.pid);
    const before = peakMiB(server.pid);
    const watch = new LivezWatch(server.apiUrl);
    const answer = await raw(id, JSONL, rows(COUNT));
    const slowest = await watch.slowestMs();
    await watch.stop();
    expect(answer).toMatchObject({ status: 201, body: { imported: COUNT } });
    expect(slowest).toBeLessThan(1_000);
    expect(peakMiB(server.pid) - before).toBeLessThan(150);
    expect(server.output()).toMatch(/"datapoints":\d+,"msg":"importing"/);
    const exported = await fetch(`${server.apiUrl}/api/datasets/${id}/export`);
    let lines = 0;
    for await (const chunk of exported.body!) for (const byte of chunk as Uint8Array) if (byte === 10) lines++;
    expect(lines).toBe(COUNT + 50_000);
    expect((await api.delete(`/api/datasets/${id}`)).status).toBe(200);
  }, 120_000);

  it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
    'in which the process gets %s leaves nothing',
    async (signal) => {
      const dataDir = tempDir();
      let program = await startSpandrel({ command: 'server', dataDir });
      const id = await create(new Api(program.apiUrl));
      const importing = uploadRaw(program.apiUrl, id, JSONL, rows(COUNT)).catch(() => undefined);
      await until(() => stored(dataDir).datapoints > 5_000, 30_000);
      const code = await program.stop(signal);
      const answer = await importing;
      if (signal === 'SIGTERM') expect([code, answer?.status, answer?.body.code]).toEqual([0, 503, 'unavailable']);
      expect(stored(dataDir).imports).toBe(1);
      expect(leftovers(dataDir)).toEqual([]);
      program = await startSpandrel({ command: 'server', dataDir });
      try {
        const client = new Api(program.apiUrl);
        const shown = await client.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${id}/datapoints`);
        expect(shown.body.datapoints).toEqual([]);
        expect((await client.get<DatasetResource>(`/api/datasets/${id}`)).body).toMatchObject({ version: 0 });
        await until(() => stored(dataDir).imports === 0, 30_000);
        expect(stored(dataDir)).toEqual({ datapoints: 0, imports: 0 });
        expect((await uploadRaw(program.apiUrl, id, JSONL, rows(10))).body.imported).toBe(10);
      } finally {
        expect(await program.stop()).toBe(0);
      }
    },
    90_000,
  );
});
