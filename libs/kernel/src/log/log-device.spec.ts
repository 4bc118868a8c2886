import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLogDevice } from './log-destination.js';

describe('what a log is written to', () => {
  let folder: string;
  const ends: (() => void)[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spandrel-log-device-'));
  });

  afterEach(() => {
    for (const end of ends.splice(0).toReversed()) end();
    rmSync(folder, { recursive: true, force: true });
  });

  const opened = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    ends.push(() => closeSync(fd));
    return fd;
  };

  /** A descriptor of a local socket whose other end reads nothing. */
  async function socket(): Promise<number> {
    const path = join(folder, 'socket');
    const server: Server = createServer({ pauseOnConnect: true }, (peer) => ends.push(() => peer.destroy())).listen(
      path,
    );
    ends.push(() => server.close());
    await once(server, 'listening');
    const client: Socket = connect(path).unref();
    await once(client, 'connect');
    const { _handle: handle } = client as unknown as { _handle: { fd: number; readStop: () => void } };
    // Node.js takes a descriptor twice where nobody waits for what comes. The device has it then: it is not closed here.
    handle.readStop();
    return handle.fd;
  }

  function pipe(): number {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    return opened(path, constants.O_RDWR);
  }

  it.each([
    ['a pipe', async () => pipe()],
    ['a local socket', socket],
  ])('takes a chunk as a whole or not at all: %s', async (_, open) => {
    const device = openLogDevice(await open());
    const { chunkBytes } = device;
    expect(chunkBytes).toBe(4_096);
    const taken = new Set<number>();
    // Nobody reads, so that it is full some time.
    while (!taken.has(0)) taken.add(await device.write(Buffer.alloc(chunkBytes, 'x')));
    expect([...taken]).toEqual([chunkBytes, 0]);
  });

  it('waits for a file in another thread', async () => {
    const device = openLogDevice(opened(join(folder, 'file'), constants.O_CREAT | constants.O_WRONLY));
    const written = device.write(Buffer.from('a line\n'));
    expect(written).toBeInstanceOf(Promise);
    expect(await written).toBe(7);
    expect(device.writeNow(Buffer.from('a line\n'))).toBe(7);
  });
});
