import fs from 'node:fs';
import path from 'node:path';
import { closeFiles, pathFault, settingName, StartError, useDirectory, type Logger } from '@spandrel/kernel';
import { GatewayUserSettings, type SpoolSync } from '../gateway.settings.js';
import type { CallFacts } from '../recording/call-facts.js';
import type { Secrets } from '../recording/secrets.js';
import { CallJournal } from './call-journal.js';
import { lockDirectory } from './directory-lock.js';
import { closeQuarantine, Quarantine, type QuarantineObserver } from './quarantine.js';
import { Segment } from './segment.js';
import { SharedJournal, type JournalOwner } from './shared-journal.js';

const SETTING = settingName(GatewayUserSettings.declared.spoolDir);

/** Notified of what goes wrong in the directory. */
export interface SpoolDirectoryObserver extends QuarantineObserver {
  /** A call cannot be kept. */
  journalError(): void;
}

export interface SpoolDirectoryOptions {
  /** Bytes of bodies that are kept of one call. */
  contentMax: number;
  /** When what was written is brought to the disk itself. */
  sync: SpoolSync;
}

/**
 * The directory that keeps recordings over a crash: a journal that all calls share, written before their bytes go on. What
 * stands there at start is recovered (`journal-recovery.ts`). Span ids make a delivery that is
 * repeated after a crash harmless.
 */
export class SpoolDirectory implements JournalOwner {
  readonly journal: SharedJournal;
  private readonly quarantined: Quarantine;
  private failing = false;
  private syncFailing = false;
  private quarantineFailing = false;

  private constructor(
    directory: string,
    /** The journal's files that a former run left, the oldest first. */
    readonly leftSegments: readonly Segment[],
    private readonly unlock: () => Promise<void>,
    private readonly options: SpoolDirectoryOptions,
    private readonly logger: Logger,
    private readonly observer: SpoolDirectoryObserver,
  ) {
    this.quarantined = new Quarantine(directory, observer);
    this.journal = new SharedJournal(directory, options.sync, this, leftSegments);
  }

  /**
   * Opens the directory, makes it where it is missing (mode 0700), and holds it.
   * @throws StartError when it cannot be used or another gateway uses it.
   */
  static async open(
    directory: string,
    options: SpoolDirectoryOptions,
    logger: Logger,
    observer: SpoolDirectoryObserver,
  ): Promise<SpoolDirectory> {
    try {
      const isForGroup = useDirectory(SETTING, directory, logger);
      const unlock = await lockDirectory(directory);
      try {
        const files = filesIn(directory);
        closeFiles([...files, ...closeQuarantine(directory, logger)], isForGroup, logger);
        const segments = files.flatMap((file) => Segment.ofFile(file) ?? []);
        return new SpoolDirectory(directory, segments, unlock, options, logger, observer);
      } catch (error) {
        await unlock();
        throw error;
      }
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError([`${SETTING}: ${pathFault(directory, error).message}`]);
    }
  }

  /** Begins to keep a call. @param content whether what goes by in it may be kept. */
  keep(facts: CallFacts, secrets: Secrets, content: boolean): CallJournal {
    const contentMax = content && facts.capture.mode === 'full' ? this.options.contentMax : 0;
    return new CallJournal(this.journal, facts, secrets, contentMax);
  }

  /** The recording of a call is delivered or lost for good: what is kept of it may go. */
  remove(id: string): void {
    this.journal.done(id);
  }

  quarantine(file: string): boolean {
    try {
      this.quarantined.take(file);
      return true;
    } catch (error) {
      if (!this.quarantineFailing) {
        this.logger.error({ err: error }, 'a damaged file of the spool directory cannot be moved; it stays');
      }
      this.quarantineFailing = true;
      return false;
    }
  }

  get quarantinedFiles(): number {
    return this.quarantined.files;
  }

  onJournalError(error: unknown, calls: number): void {
    for (let each = 0; each < calls; each++) this.observer.journalError();
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, 'the spool directory cannot be written; recordings are kept in memory');
  }

  onSyncError(error: unknown): void {
    if (this.syncFailing) return;
    this.syncFailing = true;
    this.logger.error({ err: error }, 'the spool directory cannot be synced; a power cut may take what it holds');
  }

  /** Waits until what was held back for the journal has been passed on. */
  quiet(): Promise<void> {
    return this.journal.quiet();
  }

  /** Lets go of the directory; what is undelivered stays in it. */
  async close(): Promise<void> {
    await this.journal.close();
    await this.unlock();
  }
}

/** Files by name, which is the order in which they began. */
function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(directory, name))
    .sort();
}
