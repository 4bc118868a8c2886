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
