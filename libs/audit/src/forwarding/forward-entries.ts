import { open } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import {
  LOGGER,
  METRICS,
  newFileFault,
  OutageLog,
  BackgroundTasks,
  registerSourceGauges,
  settingName,
  StartError,
  type Logger,
} from '@spandrel/kernel';
import { AuditSettings } from '../audit.settings.js';
import type { AuditEntryRow } from '../audit-entry.entity.js';
import { auditLine } from '../reading/audit-log.js';
import { AuditTrail } from '../trail/audit-trail.js';
import { ForwardedEntriesStore } from './forwarded-entries.store.js';

/** How often entries are looked for that others made: commands, servers that have ended. */
const EVERY_MS = 5_000;

/**
 * Writes each entry to a log of its own, where the settings name one (docs/spec/audit.md#a-log-of-its-own). It follows the
 * table: no request waits, and any server writes later what could not be written.
 */
@Injectable()
export class ForwardEntries implements OnModuleInit {
  private readonly log: string | null;
  private readonly target: LineTarget | undefined;
  private readonly outage: OutageLog;
  private readonly failures: Counter;
  /** A write that has not come back: a disk that hangs must not get another one each time. */
  private underWay: Promise<void> | undefined;

  constructor(
    { log }: AuditSettings,
    private readonly store: ForwardedEntriesStore,
    trail: AuditTrail,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
    tasks: BackgroundTasks,
  ) {
    this.log = log;
    this.target = log === null ? undefined : lineTarget(log);
    this.failures = registerMetrics(registry, () => (this.target ? store.waiting() : Promise.resolve(0)));
    this.outage = new OutageLog(logger, {
      lost: 'the log of the audit log cannot be written (audit.log): its lines wait in the database',
      found: 'the log of the audit log is written again',
    });
    if (!this.target) return;
    const task = tasks.add({
      everyMs: EVERY_MS,
      firstMs: 0,
      task: (stopped) => this.execute(stopped),
      failure: 'entries of the audit log could not be forwarded; they will be at the next time',
    });
    trail.onRecorded(() => task.hurry());
  }

  /** @throws StartError when the file cannot be written. */
  async onModuleInit(): Promise<void> {
    try {
      await this.target?.('');
    } catch (error) {
      throw new StartError([`${settingName(AuditSettings.declared.log)}: ${newFileFault(this.log!, error).message}`]);
    }
  }

  private async execute(stopped: AbortSignal): Promise<void> {
    for (let after = ''; !stopped.aborted;) {
      const chains = await this.store.waitingChains(after);
      if (chains.length === 0) return;
      for (const chain of chains) {
        while (!stopped.aborted && (await this.store.forwardNext(chain, (entries) => this.write(entries))));
      }
      after = chains.at(-1)!;
    }
  }

  private async write(entries: readonly AuditEntryRow[]): Promise<void> {
    try {
      if (this.underWay) throw new Error('an earlier write has not ended');
      this.underWay = this.target!(entries.map(auditLine).join(''));
      await this.underWay.finally(() => (this.underWay = undefined));
      this.outage.found();
    } catch (error) {
      this.failures.inc();
      this.outage.lost(error as Error);
      throw error;
    }
  }
}

function registerMetrics(registry: Registry, waiting: () => Promise<number>): Counter {
  registerSourceGauges(registry, waiting, [
    {
      name: 'spandrel_audit_log_waiting_entries',
      help: 'Entries of the audit log that are not in the log of its own (audit.log) yet.',
      samples: (value) => [{ value }],
    },
  ]);
  return new Counter({
    name: 'spandrel_audit_log_write_failures_total',
    help: 'Writes to the log of the audit log (audit.log) that failed; they are tried again.',
    registers: [registry],
  });
}

/** What lines of the audit log are written to. Resolves once they are there. */
type LineTarget = (lines: string) => Promise<void>;

/** The target of a setting: `stdout`, or the path of a file, which is opened for each piece, so that it may be rotated. */
const lineTarget = (log: string): LineTarget => (log === 'stdout' ? toStandardOutput : (text) => append(log, text));

/** Standard output is bounded and never waited for: what nobody reads in time is dropped and counted there. */
function toStandardOutput(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

const MODE = 0o640;

async function append(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a', MODE);
  try {
    await file.appendFile(lines);
    await file.datasync();
  } finally {
    await file.close();
  }
}
