import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

/** What came back on a bare socket. */
export interface RawAnswer {
  /** Status of each answer in order; empty when the connection was closed without one. */
  statuses: number[];
  text: string;
}

/**
 * Sends bytes as they are and reads until the server closes, is silent for `quietMs`, or `timeoutMs` are over: for
 * requests that no client would send.
 */
export function sendRaw(url: string, bytes: string | Buffer, { quietMs = 150, timeoutMs = 10_000 } = {}) {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  let quiet: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => socket.destroy(), timeoutMs);
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(bytes));
  socket.on('data', (chunk: string) => {
    text += chunk;
    clearTimeout(quiet);
    quiet = setTimeout(() => socket.destroy(), quietMs);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(quiet);
    clearTimeout(deadline);
    const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
    resolve({ statuses, text });
  });
  return promise;
}

/** A client whose bytes a test writes, and whose connection it ends as it likes. */
export interface RawClient {
  socket: Socket;
  /** What has come so far. */
  text(): string;
  /** All that came, once the connection is closed. */
  closed: Promise<string>;
}

/** Opens a connection and writes first bytes, each `latin1` character one byte. */
export async function openRaw(url: string, first = ''): Promise<RawClient> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  if (first !== '') socket.write(first, 'latin1');
  return { socket, text: () => text, closed };
}

/** Connections held open by a test. */
export interface HeldSockets {
  sockets: readonly Socket[];
  /** How many connections the server has not closed. */
  open(): number;
  /** Writes to all that are open. */
  write(bytes: string): void;
  close(): void;
}

/** Opens connections and sends the same first bytes on each (none: an idle connection). Resolves once all are open. */
export async function holdSockets(url: string, count: number, first = ''): Promise<HeldSockets> {
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  // Fewer at a time than a listener's backlog takes.
  for (let opened = 0; opened < count; opened += 250) {
    const some = Array.from({ length: Math.min(250, count - opened) }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      return socket;
    });
    sockets.push(...some);
    await Promise.all(some.map((socket) => once(socket, 'connect')));
  }
  const write = (bytes: string): void => {
    for (const socket of sockets) if (socket.writable) socket.write(bytes);
  };
  if (first !== '') write(first);
  return {
    sockets,
    open: () => sockets.filter(({ readyState }) => readyState === 'open').length,
    write,
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}
