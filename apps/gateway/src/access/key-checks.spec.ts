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
let connections: Set<Socket>;

beforeEach(async () => {
  asked = 0;
  connections = new Set();
  server = http.createServer((req, res) => {
    asked++;
    connections.add(req.socket);
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
  it('asks each question on a connection of its own, which nobody can close as idle', async () => {
    for (let i = 0; i < 3; i++) expect(await client.ask('Bearer key')).toEqual({ kind: 'known', credential });
    expect([asked, connections.size]).toEqual([3, 3]);
  });

  it('says that the API is away when it gives no answer', async () => {
    server.removeAllListeners('request');
    server.on('request', (req) => {
      asked++;
      req.socket.destroy();
    });
    expect(await client.ask('Bearer key')).toEqual({ kind: 'unavailable', message: 'no answer' });
    expect(asked).toBe(1);
  });
});
