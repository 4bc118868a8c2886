import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '@spandrel/contract';
import { createLogger, DomainError } from '@spandrel/kernel';
import { CallerKey, keyDigest } from '../access/caller-key.js';
import type { Verdict } from '../access/key-checks.js';
import { parseBase } from '../target/provider-table.js';
import type { Target } from '../target/resolve-target.js';
import { Upgrades } from './upgrade.js';

const HEAD = 'Host: gateway\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

let upstream: net.Server;
let gateway: http.Server;
let upgrades: Upgrades;
/** What is said of a key that is looked at again; `ok` unless it is here. */
let refusals: Map<string, ErrorCode>;
let looks: number;
const opened: Socket[] = [];

beforeEach(async () => {
  refusals = new Map();
  looks = 0;
  upstream = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    );
  });
  await listening(upstream);
  const keys = {
    check: (key: string | null): Promise<Verdict> => {
      looks++;
      const code = refusals.get(key!);
      const caller = callerOf(key!);
      return Promise.resolve(code ? { ok: false, error: new DomainError(code, 'refused') } : { ok: true, caller });
    },
  };
  upgrades = new Upgrades(
    new Set(),
    { connectMs: 60_000, headMs: 60_000 },
    { keys, everyMs: 5, logger: createLogger('silent', 'test') },
  );
  const target = { base: parseBase(`http://127.0.0.1:${portOf(upstream)}`, false) } as Target;
  gateway = http.createServer();
  gateway.on('upgrade', (req, socket, head) =>
    upgrades.pass(req, socket as Socket, head, target, callerOf(req.url!.slice(1)), { id: 'request', status: 0 }),
  );
  await listening(gateway);
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  upgrades.close();
  gateway.close();
  upstream.close();
});

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;
const callerOf = (key: string): CallerKey => new CallerKey(keyDigest(key), key);
async function listening(server: net.Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** An open WebSocket of the caller with a key, as its client has it. */
async function open(key: string): Promise<Socket> {
  const socket = net.connect(portOf(gateway), '127.0.0.1');
  opened.push(socket);
  socket.on('error', () => undefined);
  socket.write(`GET /${key} HTTP/1.1\r\n${HEAD}`);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 101 /);
  return socket;
}

describe('an open WebSocket of cloud mode', () => {
  it.each(['unauthenticated', 'insufficient_scope'] as const)(
    'is broken off, both ways, when its key is %s; those of other keys go on',
    async (code) => {
      const far: Promise<unknown> = once(upstream, 'connection').then(([socket]) => once(socket as Socket, 'end'));
      const [ending, going] = [await open('one'), await open('other')];
      const closed = once(ending, 'close');
      refusals.set('one', code);
      await Promise.all([closed, far]);
      expect(going.destroyed).toBe(false);
    },
  );

  it('goes on while nothing can be found out of its key', async () => {
    const socket = await open('one');
    refusals.set('one', 'unavailable');
    const before = looks;
    while (looks < before + 3) await new Promise((turn) => setImmediate(turn));
    expect(socket.destroyed).toBe(false);
  });
});
