/** `/readyz` tells whether requests are served: not while the database is away or takes no writes. */
import { readdirSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Readiness } from '@spandrel/kernel';
import { sql } from '@spandrel/storage';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { startSpandrel, until } from '../support/spandrel.ts';
import { readMetrics } from './metrics-text.ts';

/** A way to a server that can be cut and mended, as a network can. */
async function cuttableRoute(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const relay = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    if (isCut) return void socket.destroy();
    const far = connect(port, '127.0.0.1');
    sockets.add(far.on('error', () => undefined).on('close', () => (sockets.delete(far), socket.destroy())));
    socket.on('close', () => far.destroy());
    socket.pipe(far).pipe(socket);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => relay.once('listening', done));
  return {
    port: (relay.address() as { port: number }).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => void (isCut = false),
    close: () => relay.close(),
  };
}

describe('on Postgres', () => {
  let postgres: TestPostgres | undefined;
  let route: Awaited<ReturnType<typeof cuttableRoute>> | undefined;
  let app: ServerApp | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = new URL(await postgres.createDatabase('readiness'));
    route = await cuttableRoute(Number(url.port));
    url.port = String(route.port);
    app = await startServerApp({ dialect: 'postgres', url: url.href });
    app.app.get(Readiness).ready = true;
  }, 60_000);
  afterAll(async () => {
    route?.mend();
    await app?.close();
    route?.close();
    await postgres?.stop();
  });

  const status = async (path: string): Promise<number> => (await fetch(app!.url + path)).status;

  it('/readyz is 503 while the database is away, and 200 when it is back; /livez, /metrics and /api/health go on', async () => {
    expect(await status('/readyz')).toBe(200);
    route!.cut();
    await until(async () => (await status('/readyz')) === 503);
    for (const path of ['/livez', '/metrics', '/api/health']) expect([path, await status(path)]).toEqual([path, 200]);
    const began = performance.now();
    await Promise.all(Array.from({ length: 50 }, async () => expect(await status('/readyz')).toBe(503)));
    expect(performance.now() - began).toBeLessThan(5_000);
    route!.mend();
    await until(async () => (await status('/readyz')) === 200, 15_000);
  }, 40_000);

  it('/readyz is 503 when the server only reads', async () => {
    const { storage } = app!;
    await storage.write(async (tx) => {
      await tx.run(sql`alter database readiness set default_transaction_read_only = on`);
    });
    route!.cut();
    route!.mend();
    await until(async () => (await status('/readyz')) === 503, 10_000);
    expect(await status('/livez')).toBe(200);
  }, 30_000);

  it('/metrics shows the pool, and the size of the database', async () => {
    const metrics = readMetrics(await (await fetch(`${app!.url}/metrics`)).text());
    const ofPool = metrics.get('spandrel_storage_pool_connections')!;
    expect([...ofPool.labels]).toEqual(['state']);
    expect(ofPool.samples.length).toBe(2);
    expect(metrics.has('spandrel_storage_disk_free_bytes')).toBe(false);
    expect(metrics.get('spandrel_storage_retries_total')!.samples.length).toBe(2);
  });
});

describe('on SQLite', () => {
  it('/readyz is 200 with a trial of the disk that leaves nothing behind', async () => {
    const server = await startSpandrel({ command: 'server' });
    const before = readdirSync(server.dataDir);
    const began = performance.now();
    while (performance.now() - began < 2_500) {
      expect((await fetch(`${server.apiUrl}/readyz`)).status).toBe(200);
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(readdirSync(server.dataDir)).toEqual(before);
    expect(await server.stop()).toBe(0);
  }, 40_000);
});
