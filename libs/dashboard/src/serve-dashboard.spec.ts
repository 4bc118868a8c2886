import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { serveDashboard } from './serve-dashboard.js';

const INDEX = '<!doctype html><title>Spandrel</title>';
const SCRIPT = 'console.log("main")';
const SCRIPT_PATH = '/assets/main-Bx3_9aKq.js';
const YEAR = 'public, max-age=31536000, immutable';

let folder: string;
let app: FastifyInstance;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-dashboard-'));
  app = fastify();
  warnings = [];
});

afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const serve = (): Promise<void> =>
  serveDashboard(app, folder, { warn: (message: unknown) => void warnings.push(String(message)) });

function build(): void {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'theme.js'), 'theme');
  writeFileSync(join(folder, SCRIPT_PATH), SCRIPT);
  writeFileSync(join(folder, `${SCRIPT_PATH}.br`), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, `${SCRIPT_PATH}.gz`), gzipSync(SCRIPT));
}

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });

describe('a built dashboard', () => {
  beforeEach(async () => {
    build();
    await serve();
  });

  it.each([
    '/',
    '/traces',
    '/traces/01J',
    '/traces/a%2Fb?span=1',
    '/sessions/%20a',
    '/evaluations/compare?runs=1',
    '/sign-in',
  ])('answers the page at %s', async (path) => {
    const { statusCode, headers, body } = await get(path);
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', INDEX]);
    expect(headers['cache-control']).toBe('no-cache');
  });

  it.each([
    '/assets/other-Bx3_9aKq.js',
    '/assets/../index.html',
    '/assets/main-Bx3_9aKq.js.br',
    '/assets/',
    '/assets/main-Bx3_9aKq%2Ejs/',
    '/assets/%2e%2e%2findex.html',
    '/assets/..%2findex.html',
    '/assets/__proto__',
    '/api/traces',
    '/tracesx',
    '/index.html',
    '/nothing',
  ])('has nothing at %s', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });

  it('sends a file in the smallest encoding that is taken', async () => {
    const plain = await get(SCRIPT_PATH);
    expect([plain.body, plain.headers['content-encoding']]).toEqual([SCRIPT, undefined]);
    for (const [accepted, encoding, bytes] of [
      ['gzip, br', 'br', brotliCompressSync(SCRIPT)],
      ['gzip', 'gzip', gzipSync(SCRIPT)],
    ] as const) {
      const answer = await get(SCRIPT_PATH, { 'accept-encoding': accepted });
      expect([answer.headers['content-encoding'], answer.rawPayload.equals(bytes)]).toEqual([encoding, true]);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': YEAR,
        vary: 'Accept-Encoding',
      });
    }
    expect((await get('/', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  });

  it('sends nothing to who has the file in this encoding', async () => {
    const { etag } = (await get(SCRIPT_PATH)).headers;
    const { etag: encodedTag } = (await get(SCRIPT_PATH, { 'accept-encoding': 'br' })).headers;
    expect(etag).not.toBe(encodedTag);
    for (const known of [etag, `W/${String(etag)}`, `"x", ${String(etag)}`, '*']) {
      const { statusCode, body, headers } = await get(SCRIPT_PATH, { 'if-none-match': String(known) });
      expect([known, statusCode, body, headers.etag, headers['cache-control']]).toEqual([known, 304, '', etag, YEAR]);
    }
    expect((await get(SCRIPT_PATH, { 'if-none-match': String(encodedTag) })).statusCode).toBe(200);
  });

  it('lets only files be kept whose name reports their contents', async () => {
    expect((await get('/theme.js')).headers['cache-control']).toBe('no-cache');
  });

  it('answers HEAD as GET, without the body', async () => {
    const { statusCode, body, headers } = await get(SCRIPT_PATH, {}, 'HEAD');
    expect([statusCode, body, headers['content-length']]).toEqual([200, '', String(SCRIPT.length)]);
  });

  it('forbids everything that does not come from here', async () => {
    for (const path of ['/', SCRIPT_PATH]) {
      const { headers } = await get(path);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types spandrel",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(String(headers['permissions-policy'])).toMatch(/^[a-z-]+=\(\)(, [a-z-]+=\(\))+$/);
    }
  });
});

describe('a build that replaces the files of a running server', () => {
  const OTHER_PATH = '/assets/other-Aq9_3xBk.js';

  beforeEach(async () => {
    build();
    writeFileSync(join(folder, OTHER_PATH), 'other');
    await serve();
    await get(SCRIPT_PATH);
    rmSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), 'new');
    writeFileSync(join(folder, 'theme.js'), 'new');
  });

  it('changes no file under its name', async () => {
    const bodies = await Promise.all(['/', '/theme.js', SCRIPT_PATH].map(async (path) => (await get(path)).body));
    expect(bodies).toEqual([INDEX, 'theme', SCRIPT]);
    expect(warnings).toEqual([]);
  });

  it('is reported as soon as a file is missed, by the page and once in the log', async () => {
    for (let time = 0; time < 2; time++) expect((await get(OTHER_PATH)).statusCode).toBe(404);
    expect(warnings).toEqual([expect.stringContaining('start the server again')]);
    const { statusCode, headers, body } = await get('/traces/x');
    expect([statusCode, headers['cache-control']]).toEqual([503, 'no-store']);
    expect(body).toContain('Start the server again');
  });
});

describe('a dashboard that is not built', () => {
  it('says how to build it, with the same headers, and keeps nobody from asking again', async () => {
    await serve();
    expect(warnings).toEqual([expect.stringContaining('npm run build')]);
    for (const path of ['/', '/traces/x']) {
      const { statusCode, headers, body } = await get(path);
      expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
        503,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(body).toContain('npm run build');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it('is none where a file has a media type that nobody knows', async () => {
    build();
    writeFileSync(join(folder, 'picture.xyz'), '');
    await expect(serve()).rejects.toThrow('picture.xyz');
  });
});
