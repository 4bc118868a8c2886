import fs from 'node:fs';
import path from 'node:path';
import { StartError, type Logger } from '@spandrel/kernel';
import type { KeySeal } from '../access/key-seal.js';
import type { CallFacts } from '../recording/call-facts.js';
import type { ProviderTable } from '../target/provider-table.js';
import { CallJournal, type JournalOwner } from './call-journal.js';
import { lockDirectory } from './directory-lock.js';
import { decodeFrames } from './journal-frames.js';
import { recoverCall } from './recover-call.js';
import type { SpoolItem } from './spool-item.js';

const SUFFIX = '.call';

/**
 * The directory that keeps recordings over a crash: one file a call, made before its first byte goes on and removed
 * when the API has the recording. What stands there at start is recovered. Span ids make a delivery that is repeated
 * after a crash harmless.
 */
export class SpoolDirectory implements JournalOwner {
  private readonly files = new Map<string, CallJournal | string>();
  private failing = false;

  private constructor(
    private readonly directory: string,
    private readonly unlock: () => Promise<void>,
    private readonly contentMax: number,
    private readonly logger: Logger,
    private readonly onError: () => void,
  ) {}

  /**
   * Opens the directory, makes it where it is missing (mode 0700), and holds it.
   * @param contentMax bytes of bodies one call's file may hold.
   * @param onError called for each call that cannot be kept.
   * @throws StartError when it cannot be used or another gateway uses it.
   */
  static async open(
    directory: string,
    contentMax: number,
    logger: Logger,
    onError: () => void,
  ): Promise<SpoolDirectory> {
    try {
      fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
      fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK);
      return new SpoolDirectory(directory, await lockDirectory(directory), contentMax, logger, onError);
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError([
        `gateway.spool_dir: ${directory} cannot be used (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      ]);
    }
  }

  /** Begins the file of a call. */
  journal(facts: CallFacts, secrets: readonly string[]): CallJournal {
    const contentMax = facts.capture.mode === 'full' ? this.contentMax : 0;
    const journal = new CallJournal(this.fileOf(facts.id), this, facts, secrets, contentMax);
    this.files.set(facts.id, journal);
    return journal;
  }

  /** The recordings of the calls that stand in the directory, oldest first; ones that cannot be read are removed. */
  async *recover(providers: ProviderTable, bytesMax: number, seal: KeySeal | null): AsyncGenerator<SpoolItem> {
    const names = fs.readdirSync(this.directory).filter((name) => name.endsWith(SUFFIX));
    for (const name of names.sort()) {
      const file = path.join(this.directory, name);
      const item = await this.recoverFile(file, providers, bytesMax, seal);
      if (item) {
        this.files.set(item.id, file);
        yield item;
      } else {
        fs.rmSync(file, { force: true });
      }
    }
  }

  /** The recording of a call is delivered or lost for good: its file goes. */
  remove(id: string): void {
    const file = this.files.get(id);
    if (file === undefined) return;
    this.files.delete(id);
    if (typeof file === 'string') fs.unlink(file, () => undefined);
    else file.remove();
  }

  onJournalError(error: unknown): void {
    this.onError();
    if (this.failing) return;
    this.failing = true;
    this.logger.error({ err: error }, 'the spool directory cannot be written; recordings are kept in memory');
  }

  /** Lets go of the directory; what is undelivered stays in it. */
  async close(): Promise<void> {
    for (const file of this.files.values()) if (typeof file !== 'string') file.close();
    await this.unlock();
  }

  private async recoverFile(
    file: string,
    providers: ProviderTable,
    bytesMax: number,
    seal: KeySeal | null,
  ): Promise<SpoolItem | null> {
    try {
      return await recoverCall(decodeFrames(fs.readFileSync(file)), providers, bytesMax, seal);
    } catch (error) {
      this.logger.error({ err: error }, 'a call kept in the spool directory cannot be read');
      return null;
    }
  }

  private fileOf(id: string): string {
    return path.join(this.directory, `${id}${SUFFIX}`);
  }
}
