/**
 * Loaded into a program by `--import`: reports over the channel to its parent how long its event loop was held. That is the
 * CPU of the main thread between two turns, where that is less than the time that went by: on a machine that others use
 * too, time goes by without the program. The program ends when its parent does, even while its loop is held.
 */
import { openSync, readSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

const TICK_MS = 1;

if (isMainThread && process.send) {
  const scheduled = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(64);
  /** CPU of this thread, in milliseconds: `getrusage` counts ticks of 4 ms. */
  const cpuMs = () =>
    Number(bytes.latin1Slice(0, bytes.indexOf(0x20, readSync(scheduled, bytes, 0, 64, 0) && 0))) / 1e6;
  let longest = 0;
  let usedBefore = cpuMs();
  let before = performance.now();
  const look = () => {
    const used = cpuMs();
    const now = performance.now();
    longest = Math.max(longest, Math.min(used - usedBefore, now - before));
    usedBefore = used;
    before = now;
  };
  setInterval(look, TICK_MS).unref();
  process.on('message', (message) => {
    if (message !== 'loop-probe') return;
    look();
    process.send({ loopHeldMs: longest });
    longest = 0;
  });
  process.channel.unref();
  new Worker(
    `const parent = process.ppid;
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 250);`,
    { eval: true, execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } },
  ).unref();
}
