import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** What `NODE_OPTIONS` of a program has to hold, which is started with a channel (`stdio` `ipc`). */
export const LOOP_PROBE = `--import=${resolve('test/support/loop-probe.mjs')}`;

/**
 * The longest time for which the event loop of a program with {@link LOOP_PROBE} was held since the last call, in
 * milliseconds of the CPU of its main thread.
 */
export async function loopHeldMs(child: ChildProcess): Promise<number> {
  child.send('loop-probe');
  for (;;) {
    const [message] = (await once(child, 'message')) as [{ loopHeldMs?: number }];
    if (message.loopHeldMs !== undefined) return message.loopHeldMs;
  }
}

/** What {@link coreSlowness} reads takes so many milliseconds of CPU on a usual core. */
const USUAL_MS = 20;

/** How many times as long as on a usual core work takes on this one now: 1 or more, by JSON that is read. */
export function coreSlowness(): number {
  const text = `[${'{"a":"b"},'.repeat(300_000)}0]`;
  const times = Array.from({ length: 7 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...times) / USUAL_MS);
}
