import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server of this machine that a test can cut, as a network does. */
export interface Link {
  port: number;
  /** Ends all connections and takes no new ones. */
  cut(): void;
  /** Cuts before a text of ASCII would pass on to the server. */
  cutBefore(text: string): void;
  /** Passes nothing on any more and leaves connections open, as a network does that loses every packet. */
  stall(): void;
  mend(): void;
  /** From now on leads new connections to another port, as an address does that moves to another server. */
  lead(target: number): void;
  close(): void;
}

/** Opens a way to a port of this machine. */
export async function openLink(target: number): Promise<Link> {
  let to = target;
  const sockets = new Set<Socket>();
  const hold = (socket: Socket): void => {
    sockets.add(socket.unpipe().pause());
    socket.on('error', () => undefined);
  };
  let isCut = false;
  let isStalled = false;
  let awaited: string | undefined;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    if (isStalled) return void hold(near);
    const far = connect(to, '127.0.0.1');
    let sent = '';
    near.on('data', (bytes) => {
      if (awaited === undefined) return;
      // A text may come in two pieces.
      sent = sent.slice(-awaited.length) + bytes.toString('latin1');
      if (sent.includes(awaited)) cut();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const endAll = (): void => sockets.forEach((socket) => socket.destroy());
  const cut = (): void => {
    isCut = true;
    awaited = undefined;
    endAll();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    cutBefore: (text) => void (awaited = text),
    stall: () => {
      isStalled = true;
      for (const socket of sockets) hold(socket);
    },
    mend: () => {
      if (isStalled) endAll();
      isCut = isStalled = false;
    },
    lead: (next) => void (to = next),
    close: () => {
      endAll();
      server.close();
    },
  };
}
