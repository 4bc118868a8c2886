import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { PRIVATE_FILE, StartError } from '@spandrel/kernel';

/** Longest path a Unix socket may have on every system. */
const SOCKET_PATH_MAX = 100;

/**
 * Holds a directory for this process: a Unix socket in it, which the system lets go of however the process ends.
 * @returns lets go of the directory.
 * @throws StartError when another process holds it.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const handle = fs.openSync(directory, 'r');
  const file = path.join(directory, 'lock');
  const address = file.length <= SOCKET_PATH_MAX ? file : `/proc/self/fd/${handle}/lock`;
  try {
    const server = (await listen(address)) ?? (await takeOver(address, file));
    if (!server) throw new StartError([`gateway.spool_dir: ${directory} is in use by another gateway`]);
    server.unref();
    return () =>
      new Promise((resolve) => {
        server.close(() => {
          fs.closeSync(handle);
          resolve();
        });
      });
  } catch (error) {
    fs.closeSync(handle);
    throw error;
  }
}

/** Binds the socket. @returns `null` when its file is there already. */
function listen(address: string): Promise<net.Server | null> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(address, () => {
      // The umask gives it its mode.
      fs.chmodSync(address, PRIVATE_FILE);
      resolve(server);
    });
  });
}

/** A socket that no process answers is left over from one that was killed. */
async function takeOver(address: string, file: string): Promise<net.Server | null> {
  if (await isAnswered(address)) return null;
  fs.rmSync(file, { force: true });
  return listen(address);
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // One that this user may not ask is another user's.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EACCES'));
  });
}
