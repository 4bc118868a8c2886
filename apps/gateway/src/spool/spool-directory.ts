import fs from 'node:fs';
import path from 'node:path';
import { pathFault, settingName, StartError, useDirectory, type Logger } from '@spandrel/kernel';
import { GatewayUserSettings } from '../gateway.settings.js';
import type { CallFacts } from '../recording/call-facts.js';
import { CallJournal, type JournalOwner } from './call-journal.js';
import { lockDirectory } from './directory-lock.js';
import { Quarantine, type QuarantineObserver } from './quarantine.js';

const SUFFIX = '.call';
const SETTING = settingName(GatewayUserSettings.declared.spoolDir);

/** Notified of what goes wrong in the directory. */
export interface SpoolDirectoryObserver extends QuarantineObserver {
  /** A call cannot be kept. */
  journalError(): void;
}

/** A file of a former run. */
interface LeftFile {
  path: string;
  whole: boolean;
}

/**
 * The directory that keeps recordings over a crash: one file a call, made before its first byte goes on and removed
 * when the API has the recording. What stands there at start is recovered (`spool-recovery.ts`). Span ids make a
 * delivery that is repeated after a crash harmless.
 */
export class SpoolDirectory implements JournalOwner {
  private readonly files = new Map<string, CallJournal | LeftFile>();
  private readonly quarantined: Quarantine;
  private failing = false;
  private quarantineFailing = false;

  private constructor(
    private readonly directory: string,
    /** The files that a former run left, the oldest call first. */
    readonly left: readonly string[],
    private readonly unlock: () => Promise<void>,
    private readonly contentMax: number,
    private readonly logger: Logger,
    private readonly observer: SpoolDirectoryObserver,
  ) {
    this.quarantined = new Quarantine(directory, observer);
  }

  /**
   * Opens the directory, makes it where it is missing (mode 0700), and holds it.
   * @param contentMax bytes of bodies one call's file may hold.
   * @throws StartError when it cannot be used or another gateway uses it.
   */
  static async open(
    directory: string,
    contentMax: number,
    logger: Logger,
    observer: SpoolDirectoryObserver,
  ): Promise<SpoolDirectory> {
    try {
      useDirectory(SETTING, directory, 0o700);
      const unlock = await lockDirectory(directory);
      try {
        return new SpoolDirectory(directory, callsIn(directory), unlock, contentMax, logger, observer);
      } catch (error) {
        await unlock();
        throw error;
      }
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError([`${SETTING}: ${pathFault(directory, error).message}`]);
    }
  }

  /** Begins the file of a call. @param content whether what goes by in it may be kept. */
  journal(facts: CallFacts, secrets: readonly string[], content: boolean): CallJournal {
    const contentMax = content && facts.capture.mode === 'full' ? this.contentMax : 0;
    const journal = new CallJournal(this.fileOf(facts.id), this, facts, secrets, contentMax);
    this.files.set(facts.id, journal);
    return journal;
  }

  /** The recording of a file that was left is on its way: the file goes with it. @param whole all of it could be read. */
  adopt(id: string, file: string, whole: boolean): void {
    this.files.set(id, { path: file, whole });
  }

  /** The recording of a call is delivered or lost for good: its file goes, to quarantine where it is damaged. */
  remove(id: string): void {
    const file = this.files.get(id);
    if (file === undefined) return;
    this.files.delete(id);
    if (file instanceof CallJournal) file.remove();
    else if (file.whole) fs.unlink(file.path, () => undefined);
    else this.quarantine(file.path);
  }

  /** Moves a damaged file to quarantine. @returns false when it cannot be moved, and stays. */
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

  onJournalError(error: unknown): void {
    this.observer.journalError();
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, 'the spool directory cannot be written; recordings are kept in memory');
  }

  /** Lets go of the directory; what is undelivered stays in it. */
  async close(): Promise<void> {
    for (const file of this.files.values()) if (file instanceof CallJournal) file.close();
    await this.unlock();
  }

  private fileOf(id: string): string {
    return path.join(this.directory, `${id}${SUFFIX}`);
  }
}

/** Calls' files, by name: their ids are in the order in which the calls began. */
function callsIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
    .map(({ name }) => path.join(directory, name))
    .sort();
}
