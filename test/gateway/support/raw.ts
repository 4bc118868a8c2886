import net, { type AddressInfo, type Socket } from 'node:net';

/** A TCP server whose answers a test writes byte by byte. */
export interface RawServer {
  url: string;
  port: number;
  /** What each connection has sent so far. */
  received: Buffer[];
  sockets: Socket[];
  close(): Promise<void>;
}

/**
 * @param onRequest gets a connection whenever a whole head has come, and all that came over it so far.
 * @param onConnection gets each connection when it is opened.
 */
export async function startRawServer(
  onRequest: (socket: Socket, received: string) => void,
  onConnection: (socket: Socket) => void = () => undefined,
): Promise<RawServer> {
  const received: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = net.createServer((socket) => {
    const index = sockets.push(socket) - 1;
    received[index] = Buffer.alloc(0);
    let answered = 0;
    socket.on('error', () => undefined);
    onConnection(socket);
    socket.on('data', (data) => {
      received[index] = Buffer.concat([received[index]!, Buffer.from(data)]);
      const heads = received[index].toString('latin1').split('\r\n\r\n').length - 1;
      if (heads > answered) {
        answered = heads;
        onRequest(socket, received[index].toString('latin1'));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    sockets,
    close: () =>
      new Promise((resolve) => {
        sockets.forEach((socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}

export interface RawAnswer {
  bytes: Buffer;
  head: string;
  body: Buffer;
  /** The connection was reset rather than ended. */
  error: string | null;
}

/** Sends bytes and reads until the server closes, or until `until` holds. */
export function rawRequest(port: number, bytes: string | Buffer, until?: (all: Buffer) => boolean): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let error: string | null = null;
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      chunks.push(Buffer.from(data));
      if (until?.(Buffer.concat(chunks))) socket.destroy();
    });
    socket.on('error', (reason: NodeJS.ErrnoException) => (error = reason.code ?? reason.message));
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      resolve({ bytes: all, head: all.subarray(0, end).toString('latin1'), body: all.subarray(end + 4), error });
    });
  });
}
