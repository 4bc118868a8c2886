import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConnectionCallError } from './decode-answer.js';
import { ConnectionClient, evenLookup, REFUSAL_MS_MIN } from './connection-client.js';

/** How the look-up of a name fails, by its first label. */
const FAULTS: Readonly<Record<string, string>> = { unknown: 'ENOTFOUND', unanswered: 'EAI_AGAIN', broken: 'ESERVFAIL' };

let port = 0;
/** Connections and requests that have come. */
let seen: string[];
const server = createServer((request, response) => {
  seen.push('request');
  response.end(request.headers.host);
}).on('connection', () => seen.push('connection'));
/** Names that were looked up. */
let asked: string[];
let client: ConnectionClient;

beforeEach(async () => {
  [seen, asked] = [[], []];
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  client = new ConnectionClient((hostname, _options, callback) => {
    asked.push(hostname);
    const fault = FAULTS[hostname.split('.')[0]!];
    if (fault !== undefined) return callback(Object.assign(new Error(`getaddrinfo ${fault}`), { code: fault }), []);
    const addresses = hostname.split('.')[0] === 'mixed' ? ['127.0.0.1', '8.8.8.8'] : ['127.0.0.1'];
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  });
});
afterEach(async () => {
  await client.onApplicationShutdown();
  await new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
});

const call = (host: string, guarded: boolean, scheme = 'http'): Promise<string> =>
  client
    .send(
      {
        origin: `${scheme}://${host}:${port}`,
        server: 'S',
        path: '/',
        method: 'GET',
        headers: {},
        body: null,
        guarded,
      },
      { timeoutMs: 60_000 },
    )
    .then(
      ({ status }) => `${status}`,
      ({ kind, message }: ConnectionCallError) => `${kind}: ${message}`,
    );

const REFUSED = /^refused: the host name of S is not known, or has an address that is not public: /;

describe('a call that may go to public addresses alone', () => {
  it.each(['http', 'https'])('is not made to a name that leads inward, now or later (%s)', async (scheme) => {
    expect(await call('inward.example', true, scheme)).toMatch(REFUSED);
    expect(await call('mixed.example', true, scheme)).toMatch(REFUSED);
    expect(await call('inward.example', true, scheme)).toMatch(REFUSED);
    expect(asked).toEqual(['inward.example', 'mixed.example', 'inward.example']);
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not made to %s, which nobody looks up',
    async (host) => {
      expect(await call(host, true)).toMatch(REFUSED);
      expect(await call(host, true, 'https')).toMatch(REFUSED);
      expect([asked, seen]).toEqual([[], []]);
    },
  );

  it('says the same of a name that leads inward, of one that is not known and of one that nobody answers for', async () => {
    const names = ['inward', 'mixed', ...Object.keys(FAULTS)];
    const answers = await Promise.all(names.map((name) => call(`${name}.example`, true, 'https')));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(REFUSED);
    expect(await call('unknown.example', false)).toMatch(/^network: the host name of S is not known/);
  });

  it('does not use a connection that a call without the rule has left open', async () => {
    expect(await call('127.0.0.1', false)).toBe('200');
    expect(await call('127.0.0.1', true)).toMatch(REFUSED);
    expect(seen).toEqual(['connection', 'request']);
  });
});

describe('a look-up that fails', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('takes the same time, however soon its reason was known, and one that succeeds none', async () => {
    const answered: string[] = [];
    const look = (name: string, ms: number, error: Error | null): void =>
      evenLookup((_hostname, _options, callback) => {
        setTimeout(() => callback(error as NodeJS.ErrnoException, error ? '' : '8.8.8.8', 4), ms);
      })(name, {}, (fault) => void answered.push(`${name} ${fault === null ? 'found' : fault.code}`));
    look('inward', 1, new Error('not public'));
    look('unknown', 400, new Error('ENOTFOUND'));
    look('known', 2, null);
    await jest.advanceTimersByTimeAsync(REFUSAL_MS_MIN - 1);
    expect(answered).toEqual(['known found']);
    await jest.advanceTimersByTimeAsync(1);
    expect(answered).toEqual(['known found', 'inward ERR_ADDRESS_NOT_PUBLIC', 'unknown ERR_ADDRESS_NOT_PUBLIC']);
  });
});
