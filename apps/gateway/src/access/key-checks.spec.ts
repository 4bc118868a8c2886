import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CredentialResource } from '@spandrel/contract';
import { CredentialClient } from './key-checks.js';

const credential: CredentialResource = {
  kind: 'api_key',
  id: 'key',
  org_id: 'org',
  project_id: 'project',
  scopes: ['ingest'],
  expires_at: null,
};

let server: http.Server;
let client: CredentialClient;
let asked: number;
/** What becomes of a question on a connection that has carried one before. */
let onReused: (socket: Socket) => void;

beforeEach(async () => {
  asked = 0;
  const used = new WeakSet<Socket>();
  server = http.createServer((req, res) => {
    asked++;
    if (used.has(req.socket)) {
      onReused(req.socket);
      return;
    }
    used.add(req.socket);
    res.end(JSON.stringify(credential));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new CredentialClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2_000);
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

describe('CredentialClient', () => {
  it.each([
    ['closed', (socket: Socket) => void socket.destroy()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('asks once more when the connection it kept was %s', async (_how, close) => {
    onReused = close;
    for (let i = 0; i < 3; i++) expect(await client.ask('Bearer key')).toEqual({ kind: 'known', credential });
    expect(asked).toBeGreaterThan(3);
  });

  it('says that the API is away when a new connection does not help', async () => {
    server.removeAllListeners('request');
    server.on('request', (req) => {
      asked++;
      req.socket.destroy();
    });
    expect(await client.ask('Bearer key')).toEqual({ kind: 'unavailable', message: 'no answer' });
    expect(asked).toBe(2);
  });
});
