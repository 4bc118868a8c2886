import { createServer, type AddressInfo } from 'node:net';

/** Ports nobody listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((done) => server.once('listening', done));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** A port nobody listens on now. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
