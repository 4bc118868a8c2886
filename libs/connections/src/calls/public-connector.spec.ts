import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectionCallError } from './connection-call-error.js';
import { ConnectionClient } from './connection-client.js';

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

const REFUSED = 'refused: the host resolves to an address that is not public';

describe('a call that may go to public addresses alone', () => {
  it.each(['http', 'https'])('is not made to a name that leads inward, now or later (%s)', async (scheme) => {
    expect(await call('inward.example', true, scheme)).toBe(REFUSED);
    expect(await call('mixed.example', true, scheme)).toBe(REFUSED);
    expect(await call('inward.example', true, scheme)).toBe(REFUSED);
    expect(asked).toEqual(['inward.example', 'mixed.example', 'inward.example']);
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not made to %s, which nobody looks up',
    async (host) => {
      expect(await call(host, true)).toBe(REFUSED);
      expect(await call(host, true, 'https')).toBe(REFUSED);
      expect([asked, seen]).toEqual([[], []]);
    },
  );

  it('does not use a connection that a call without the rule has left open', async () => {
    expect(await call('127.0.0.1', false)).toBe('200');
    expect(await call('127.0.0.1', true)).toBe(REFUSED);
    expect(seen).toEqual(['connection', 'request']);
  });
});
