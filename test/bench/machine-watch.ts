import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  parseCpuTimes,
  parseLoad,
  parseProcess,
  presenceOf,
  ticksOfFamily,
  type Look,
  type Presence,
} from './machine.ts';

/** How often the machine is looked at, and how long before a part begins. */
const LOOK_MS = 1_000;
const BEFORE_MS = 1_500;
/** The parent of all threads of the kernel: they write to the disk for everybody, for the bench most of all. */
const KERNEL_THREADS = 2;

/** Looks at the machine once a second for as long as a part of the bench takes. */
export class MachineWatch {
  private readonly looks: Look[] = [lookAtMachine()];
  private readonly timer = setInterval(() => this.looks.push(lookAtMachine()), LOOK_MS).unref();

  /** What others take while the bench waits and does nothing. */
  static async before(): Promise<Presence> {
    const watch = new MachineWatch();
    await sleep(BEFORE_MS);
    return watch.stop();
  }

  stop(): Presence {
    clearInterval(this.timer);
    this.looks.push(lookAtMachine());
    return presenceOf(this.looks);
  }
}

function lookAtMachine(): Look {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return parseProcess(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      } catch {
        // It has ended since its name was read.
        return [];
      }
    });
  return {
    ...parseCpuTimes(readFileSync('/proc/stat', 'utf8')),
    own: ticksOfFamily(process.pid, processes) + ticksOfFamily(KERNEL_THREADS, processes),
    load: parseLoad(readFileSync('/proc/loadavg', 'utf8')),
  };
}
