import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir, until } from './spandrel.ts';

/**
 * Memory that a program needs: what is left of it after a collection, buffers outside of the heap counted. What it holds
 * resident would also be what is not collected yet, and that is more the busier the machine is.
 */
export class LiveMemory {
  private readonly file = join(tempDir(), 'live-memory');
  private seen = 0;

  /** Variables that the program is to be started with. */
  environment(): Record<string, string> {
    const preload = join(tempDir(), 'live-memory.mjs');
    writeFileSync(this.file, '');
    writeFileSync(preload, PRELOAD);
    return { NODE_OPTIONS: `--import=${preload}`, LIVE_MEMORY_FILE: this.file };
  }

  /** The most it needed since the last call, in MiB, and how often that was looked at; now is the last time. */
  async take(): Promise<{ peakMiB: number; looks: number }> {
    const asked = `${this.file}.asked`;
    writeFileSync(asked, '');
    await until(() => !existsSync(asked), 60_000);
    const bytes = readFileSync(this.file, 'utf8').split('\n').slice(0, -1).map(Number);
    const since = bytes.slice(this.seen);
    this.seen = bytes.length;
    return { peakMiB: Math.round(Math.max(...since) / (1 << 20)), looks: since.length };
  }
}

/**
 * Looks whenever the program has worked for a while, and when it is asked to: by time alone it would do little else on a
 * busy machine. Buffers that the first collection frees are counted until the second one.
 */
const PRELOAD = `
  import { appendFileSync, existsSync, rmSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) {
    const file = process.env.LIVE_MEMORY_FILE;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    const workedMs = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    let looked = workedMs();
    let dueMs = 300;
    const check = () => {
      const isAsked = existsSync(file + '.asked');
      if (!isAsked && workedMs() - looked < dueMs) return;
      collect();
      collect();
      const { heapUsed, external } = process.memoryUsage();
      appendFileSync(file, heapUsed + external + '\\n');
      // Work that is begun now may be over soon, and something of it is to be seen.
      dueMs = isAsked ? 80 : 300;
      if (isAsked) rmSync(file + '.asked');
      looked = workedMs();
    };
    setInterval(check, 40).unref();
  }`;
