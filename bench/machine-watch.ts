import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  parseCpuTimes,
  parseLoad,
  parseProcess,
  presenceOf,
  workOfFamily,
  type Look,
  type Presence,
  type ProcessTimes,
} from './machine.ts';

/** How often the machine is looked at, and how long before a part begins. */
const LOOK_MS = 1_000;
const BEFORE_MS = 1_500;
/** The parent of all threads of the kernel: they write to the disk for everybody, for the bench most of all. */
const KERNEL_THREADS = 2;

/** Looks at the machine once a second for as long as a part of the bench takes. */
export class MachineWatch {
  private readonly looks: Look[] = [];
  private processes = readProcesses();
  private own = 0;
  private readonly timer = setInterval(() => this.look(), LOOK_MS).unref();

  constructor() {
    this.look();
  }

  /** What others take while the bench waits and does nothing. */
  static async before(): Promise<Presence> {
    const watch = new MachineWatch();
    await sleep(BEFORE_MS);
    return watch.stop();
  }

  stop(): Presence {
    clearInterval(this.timer);
    this.look();
    return presenceOf(this.looks);
  }

  private look(): void {
    const before = this.processes;
    this.processes = readProcesses();
    for (const root of [process.pid, KERNEL_THREADS]) this.own += workOfFamily(root, before, this.processes);
    this.looks.push({
      ...parseCpuTimes(readFileSync('/proc/stat', 'utf8')),
      own: this.own,
      load: parseLoad(readFileSync('/proc/loadavg', 'utf8')),
    });
  }
}

function readProcesses(): ProcessTimes[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return parseProcess(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      } catch {
        // It has ended since its name was read.
        return [];
      }
    });
}
