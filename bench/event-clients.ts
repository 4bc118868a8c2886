import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Connections that are opened at a time: fewer than a listener's backlog takes. */
const OPENED_AT_ONCE = 100;
const ID = /^id: (\d+)$/gm;

/** One client of an event stream, as little of it as the bench needs. */
export class BenchClient {
  /** Bytes of the stream so far. */
  bytes = 0;
  /** Ids so far; counted only when they are looked at. */
  events = 0;
  lastId = 0;
  /** Ids that were not the one behind the one before. */
  faults = 0;
  private rest = '';
  readonly socket: Socket;

  constructor(socket: Socket, looksAtIds: boolean) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (looksAtIds) this.look(chunk.toString('latin1'));
    });
  }

  private look(text: string): void {
    const all = this.rest + text;
    const end = all.lastIndexOf('\n') + 1;
    this.rest = all.slice(end);
    for (const [, id] of all.slice(0, end).matchAll(ID)) {
      if (this.events > 0 && Number(id) !== this.lastId + 1) this.faults++;
      this.events++;
      this.lastId = Number(id);
    }
  }
}

/** Opens streams and waits until each has had its headers. @param looksAtIds whether ids are read or bytes just counted. */
export async function openClients(port: number, count: number, looksAtIds: boolean): Promise<BenchClient[]> {
  const clients: BenchClient[] = [];
  while (clients.length < count) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - clients.length) }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
      return new BenchClient(socket, looksAtIds);
    });
    await Promise.all(some.map(({ socket }) => once(socket, 'data')));
    clients.push(...some);
  }
  return clients;
}

/** Lets a client read a little now and then. @returns what ends it. */
export function readSlowly({ socket }: BenchClient, everyMs: number, forMs: number): () => void {
  socket.pause();
  let isOver = false;
  void (async () => {
    while (!isOver) {
      await sleep(everyMs);
      socket.resume();
      await sleep(forMs);
      socket.pause();
    }
  })();
  return () => (isOver = true);
}
