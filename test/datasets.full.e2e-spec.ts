/** Datasets on the started program: what only a process with a disk and a network shows. */
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatapointResource, DatasetResource } from '@spandrel/contract';
import type { Api } from './support/api.ts';
import { LivezWatch } from './support/livez-watch.ts';
import type { Place, Program } from './support/places.ts';
import { forgetPeak, peakMiB } from './support/process-memory.ts';
import { holdSockets, sendRaw } from './support/raw-http.ts';
import { tempDir, until } from './support/spandrel.ts';
import { uploadForm, uploadRaw } from './support/upload.ts';
import { describeOnBothDatabases, showsAll } from './support/databases.ts';

const JSONL = 'application/x-ndjson';
const MIB = 1024 * 1024;
const FILE_BYTES_MAX = 100 * MIB;
/** What the tests of the limit set. */
const SMALLER_BYTES_MAX = 16 * MIB;

const rows = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `{"input":"question ${n} ${'?'.repeat(150)}","expected":"answer ${n}"}\n`,
  ).join('');

/** Files that uploads have left on disk. */
function leftovers(dataDir: string): string[] {
  const folder = join(dataDir, 'uploads');
  return existsSync(folder) ? readdirSync(folder) : [];
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

describeOnBothDatabases('datasets', ({ name: database, takePlace }) => {
  /** What is refused of a file before a database has a part in it. */
  const itOfFiles = (title: string, test: () => Promise<void>): void => {
    if (showsAll(database)) it(title, test);
  };
  let place: Place | undefined;
  let program: Program;
  let api: Api;
  const smaller = join(tempDir(), 'smaller.yaml');
  writeFileSync(smaller, `limits: { import_file_bytes: ${SMALLER_BYTES_MAX} }\n`);
  beforeAll(async () => {
    place = await takePlace();
    await start();
  });
  afterAll(() => place?.close());

  async function start(...args: string[]): Promise<void> {
    program = await place!.start({ command: 'server', args });
    api = program.api;
  }

  const create = async (): Promise<string> => (await api.post<DatasetResource>('/api/datasets', { name: 'd' })).body.id;
  const raw = (id: string, type: string, body: Parameters<typeof uploadRaw>[3], headers = {}) =>
    uploadRaw(program.apiUrl, id, type, body, { headers: { ...place!.headers, ...headers } });
  const form = (id: string, files: Parameters<typeof uploadForm>[2]) =>
    uploadForm(program.apiUrl, id, files, '', place!.headers);
  /** The begin of an upload, for what no client would send. */
  const head = (id: string, type: string, length: number): string =>
    [
      `POST /api/datasets/${id}/import HTTP/1.1`,
      `Host: ${new URL(program.apiUrl).host}`,
      `Content-Type: ${type}`,
      `Content-Length: ${length}`,
      ...Object.entries(place!.headers).map((header) => header.join(': ')),
      '\r\n',
    ].join('\r\n');

  describe('a large import', () => {
    // Files are read and progress is announced every 100,000 rows, the same way on both; Postgres takes longer to write.
    const COUNT = database === 'SQLite' ? 100_000 : 30_000;

    /** Rows of a dataset that the tables hold, and imports that have not come to their end. */
    async function stored(id: string): Promise<{ datapoints: number; imports: number }> {
      const [counts] = await place!.rows<Record<'datapoints' | 'imports', number | string>>(
        `select (select count(*) from datapoint where dataset_id = '${id}') as datapoints,
          (select count(*) from dataset_import where dataset_id = '${id}' and unfinished = 1) as imports`,
      );
      return { datapoints: Number(counts!.datapoints), imports: Number(counts!.imports) };
    }

    it('needs no more memory than a small one and holds up nobody; the export neither', async () => {
      const id = await create();
      await raw(id, JSONL, rows(10_000));
      forgetPeak(program.pid);
      const before = peakMiB(program.pid);
      const watch = new LivezWatch(program.apiUrl, program.pid);
      const answer = await raw(id, JSONL, rows(COUNT));
      const slowest = await watch.slowestMs();
      await watch.stop();
      expect(answer).toMatchObject({ status: 201, body: { imported: COUNT } });
      expect(slowest).toBeLessThan(1_000);
      expect(peakMiB(program.pid) - before).toBeLessThan(150);
      // The log is written beside the answers, and may come after them.
      if (COUNT >= 100_000) await until(() => /"datapoints":\d+,"msg":"importing"/.test(program.output()));
      const exported = await fetch(`${program.apiUrl}/api/datasets/${id}/export`, { headers: place!.headers });
      let lines = 0;
      for await (const chunk of exported.body!) {
        const bytes = chunk as Uint8Array;
        for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
      }
      expect(lines).toBe(COUNT + 10_000);
      expect((await api.delete(`/api/datasets/${id}`)).status).toBe(200);
    });

    it('has 100 MiB at most, where nothing else is set', async () => {
      const { statuses, text } = await sendRaw(program.apiUrl, head(await create(), JSONL, FILE_BYTES_MAX + 1));
      expect(statuses).toEqual([413]);
      expect(text).toContain(`larger than ${FILE_BYTES_MAX} bytes`);
    });

    it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
      'in which the process gets %s leaves nothing',
      async (signal) => {
        const id = await create();
        const importing = raw(id, JSONL, rows(COUNT)).catch(() => undefined);
        await until(async () => (await stored(id)).datapoints > 5_000, 30_000);
        const code = await program.stop(signal);
        const answer = await importing;
        if (signal === 'SIGTERM') expect([code, answer?.status, answer?.body.code]).toEqual([0, 503, 'unavailable']);
        expect((await stored(id)).imports).toBe(1);
        await until(() => leftovers(place!.dataDir).length === 0);
        // Where others may be at it, what a killed process held is left alone for half a minute: here it is over.
        if (place!.mode === 'cloud' && signal === 'SIGKILL')
          await place!.rows('update dataset_import set lease_until = 0');
        // The tests behind the second want a smaller limit.
        await start(...(signal === 'SIGTERM' ? ['--config', smaller] : []));
        const shown = await api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${id}/datapoints`);
        expect(shown.body.datapoints).toEqual([]);
        expect((await api.get<DatasetResource>(`/api/datasets/${id}`)).body).toMatchObject({ version: 0 });
        await until(async () => (await stored(id)).imports === 0, 30_000);
        expect(await stored(id)).toEqual({ datapoints: 0, imports: 0 });
        expect((await raw(id, JSONL, rows(10))).body.imported).toBe(10);
      },
      90_000,
    );
  });

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
      await until(() => leftovers(place!.dataDir).length === 0);
    });

    it('may begin with a byte order mark', async () => {
      const id = await create();
      for (const [name, text] of [
        ['a.jsonl', '{"input":1}'],
        ['a.json', '[{"input":1}]'],
        ['a.csv', 'input\n1'],
      ] as const) {
        const answer = await form(id, [{ name, content: `\ufeff${text}` }]);
        expect([name, answer.status, answer.body.imported]).toEqual([name, 201, 1]);
      }
    });

    itOfFiles('may be as large as the limit, and no byte larger', async () => {
      const id = await create();
      const large = Buffer.alloc(SMALLER_BYTES_MAX + 1, `${' '.repeat(1_023)}\n`);
      large.write('\n{"input":1}', SMALLER_BYTES_MAX + 1 - 12);
      const fits = await raw(id, JSONL, large.subarray(1));
      expect([fits.status, fits.body.imported]).toEqual([201, 1]);
      const pieces = Array.from({ length: SMALLER_BYTES_MAX / MIB + 1 }, (_, i) =>
        large.subarray(i * MIB, (i + 1) * MIB),
      );
      for (const answer of [
        await raw(id, JSONL, large),
        await raw(id, JSONL, stream(pieces)),
        await form(id, [{ name: 'a.jsonl', content: large }]),
        await form(id, [
          { field: 'a', name: 'a.jsonl', content: large },
          { name: 'b.jsonl', content: large },
        ]),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
      }
      await until(() => leftovers(place!.dataDir).length === 0);
    });

    itOfFiles('is not taken compressed, nor in a format that is not known', async () => {
      const id = await create();
      for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
        const answer = await raw(id, JSONL, gzipSync(rows(1)), { 'content-encoding': encoding });
        expect([encoding, answer.status, answer.body.code]).toEqual([encoding, 415, 'unsupported_media_type']);
      }
      const identity = await raw(id, JSONL, rows(1), { 'content-encoding': 'identity' });
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
      expect((await form(id, [{ name: 'a.xlsx', content: 'x' }])).status).toBe(415);
      const other = await api.send('POST', '/api/datasets', '{}', {
        'content-type': 'application/x.spandrel.streamed',
      });
      expect(other.status).toBe(415);
    });

    itOfFiles('is the one file of a form, in its field', async () => {
      const id = await create();
      const file = { name: 'a.jsonl', content: rows(2) };
      for (const files of [[], [{ ...file, field: 'other' }], [file, file], [file, { ...file, field: 'other' }]]) {
        const answer = await form(id, files);
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
      await until(() => leftovers(place!.dataDir).length === 0);
    });

    it('for a dataset that is not there is refused before it is read', async () => {
      const answer = await sendRaw(program.apiUrl, `${head('nope', JSONL, 1_000_000)}{"input":1}\n`);
      expect(answer.statuses).toEqual([404]);
      expect(answer.text).toContain('dataset_not_found');
    });

    it('from clients that stand still or leave holds up nobody, and nothing of it stays', async () => {
      const id = await create();
      const slow = await holdSockets(program.apiUrl, 50, `${head(id, JSONL, 1_000_000)}{"input":1}\n`);
      try {
        expect((await raw(id, JSONL, rows(100))).status).toBe(201);
      } finally {
        slow.close();
      }
      const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n{"input":1}\n`;
      const multipart = head(id, 'multipart/form-data; boundary=b', 1_000_000);
      (await holdSockets(program.apiUrl, 50, multipart + part)).close();
      await until(async () => openUploads(program.pid) === 0);
      expect((await api.get<DatasetResource>(`/api/datasets/${id}`)).body).toMatchObject({ datapoint_count: 100 });
      expect(program.output()).not.toMatch(/request failed|unhandled/);
    });

    it('leaves nothing that the end of the server would wait for', async () => {
      expect(await program.stop()).toBe(0);
    });
  });
});
