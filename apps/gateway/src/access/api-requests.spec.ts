import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MaskingClient } from '../masking/recording-rules.js';
import { SpoolItem } from '../spool/caller-queue.js';
import { IngestClient } from '../spool/delivery.js';
import { CredentialClient } from './key-checks.js';

let api: Server;
let url: string;
let received: string;
let answer: { status: number; body: string };

beforeAll(async () => {
  api = createServer((request, response) => {
    received = '';
    request.setEncoding('utf8').on('data', (piece: string) => (received += piece));
    request.on('end', () => response.writeHead(answer.status, { 'retry-after': '7' }).end(answer.body));
  });
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => api.close(done)));

/** What the three clients of the API make of an answer, in the order credential, masking, ingest. */
async function kindsOf(status: number, body: unknown): Promise<string[]> {
  answer = { status, body: JSON.stringify(body) };
  const credentials = new CredentialClient(url, 5_000);
  const masking = new MaskingClient(url, null, 5_000);
  const ingest = new IngestClient(url, null, 5_000);
  const answers = [await credentials.ask('Bearer x'), await masking.ask(null), await ingest.send([], null)];
  await Promise.all([credentials.close(), masking.close(), ingest.close()]);
  return answers.map(({ kind }) => kind);
}

describe('a wrong credential', () => {
  it.each([
    [401, { code: 'unauthenticated' }],
    [429, { code: 'too_many_wrong_credentials' }],
  ])('is one where the API answers %d so', async (status, body) => {
    expect(await kindsOf(status, body)).toEqual(['refused', 'refused', 'unauthenticated']);
  });

  it.each([{ code: 'rate_limited' }, null, 'Too Many Requests'])('is none at a 429 that says %j', async (body) => {
    expect(await kindsOf(429, body)).toEqual(['unavailable', 'unavailable', 'limited']);
  });
});

it('recordings of any length are sent character by character as they are', async () => {
  answer = { status: 200, body: '{"accepted":{}}' };
  const texts = ['a😀潮'.repeat(100_000), 'é', '"\\'.repeat(70_000)];
  const items = texts.map(
    (text, n) => new SpoolItem(null, `s${n}`, n === 1 ? null : `{"n":${n}}`, JSON.stringify({ text }), true),
  );
  const ingest = new IngestClient(url, null, 5_000);
  expect((await ingest.send(items, null)).kind).toBe('taken');
  await ingest.close();
  expect(JSON.parse(received)).toEqual({ traces: [{ n: 0 }, { n: 2 }], spans: texts.map((text) => ({ text })) });
});
