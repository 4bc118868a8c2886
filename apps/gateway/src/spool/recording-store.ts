import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  closeDirectory,
  closeFiles,
  pathFault,
  settingName,
  StartError,
  useDirectory,
  type Logger,
} from '@spandrel/kernel';
import { GatewayUserSettings, type SpoolSync } from '../gateway.settings.js';
import type { GatewayMetrics } from '../metrics.js';
import type { OpenResult, QuarantineChanges, StoredRecording } from './recordings-file.thread.js';
import { RecordingsThread } from './recordings-thread.js';

type StoreMetrics = Pick<GatewayMetrics, 'storeErrors' | 'quarantines' | 'quarantineRemovals'>;

/** What is to be done about one recording. */
interface Change {
  /** `null`: it is removed. */
  recording: StoredRecording | null;
  onKept: (() => void) | undefined;
  /** The disk has refused it once. */
  hasFailed?: boolean;
}

const REMOVAL: Change = Object.freeze({ recording: null, onKept: undefined });

const QUARANTINE = 'quarantine';

const SETTING = settingName(GatewayUserSettings.declared.spoolDir);

/** One transaction holds so many recordings and so many characters; a larger recording is alone in one. */
const BATCH_RECORDINGS_MAX = 1_000;
const BATCH_CHARS_MAX = 1024 * 1024;

/** How long a change may wait that nothing waits for. */
const GATHER_MS = 5;

/** How long changes wait that failed. */
const RETRY_MS = 1_000;

/** How often what was written is brought to the disk, with `interval`. */
const SYNC_MS = 1_000;

/** How long an empty file stays as large as it is. */
const IDLE_MS = 1_000;

/** After so long the disk is taken to hang: calls do not wait for it. */
const WRITE_DEADLINE_MS = 5_000;

/**
 * Keeps recordings in an SQLite file over a crash, until they are delivered (ADR 0062). Changes gather while the thread that
 * has the file writes those before them, and a change takes the place of one of the same recording that still waits.
 */
export class RecordingStore {
  private readonly thread: RecordingsThread;
  /** Changes that wait for the thread, by id. */
  private readonly pending = new Map<string, Change>();
  /** Ids of the recordings that the thread was given. */
  private readonly stored = new Set<string>();
  private isOpen = false;
  private writing: Promise<void> | null = null;
  private isScheduled = false;
  private failing = false;
  private syncFailing = false;
  private gatherTimer: NodeJS.Timeout | undefined;
  private syncTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly directory: string,
    private readonly sync: SpoolSync,
    private readonly logger: Logger,
    private readonly metrics: StoreMetrics,
  ) {
    this.thread = new RecordingsThread({ directory, synchronous: sync === 'always' ? 'full' : 'normal' });
  }

  /**
   * Makes the directory where it is missing (mode 0700), and holds it. A file that cannot be read for now is left for
   * {@link recover}.
   * @throws StartError when the directory cannot be used or another gateway uses it.
   */
  static async open(
    directory: string,
    sync: SpoolSync,
    logger: Logger,
    metrics: StoreMetrics,
  ): Promise<RecordingStore> {
    const isForGroup = useDirectory(SETTING, directory, logger);
    try {
      const files = filesIn(directory);
      const quarantine = path.join(directory, QUARANTINE);
      const quarantined = filesIn(quarantine);
      if (quarantined.length > 0) closeDirectory(quarantine, logger);
      closeFiles([...files, ...quarantined], isForGroup, logger);
    } catch (error) {
      throw new StartError([`${SETTING}: ${pathFault(directory, error).message}`]);
    }
    const store = new RecordingStore(directory, sync, logger, metrics);
    const opened = await store.tryToOpen();
    if (opened.kind === 'in-use') {
      await store.thread.close(WRITE_DEADLINE_MS);
      throw new StartError([`gateway.spool_dir: ${directory} is in use by another gateway`]);
    }
    return store;
  }

  /** How many damaged files the quarantine has; a person may have taken some out. */
  get quarantinedFiles(): number {
    return filesIn(path.join(this.directory, QUARANTINE)).filter((file) => file.endsWith('.db')).length;
  }

  /**
   * Reads what a former run left in the file. Until this has succeeded recordings are kept in memory alone.
   * @param onPage gets the recordings, oldest first, a page at a time.
   * @throws Error when the file cannot be read for now.
   */
  async recover(onPage: (recordings: StoredRecording[]) => void): Promise<void> {
    const opened = await this.tryToOpen();
    if (opened.kind !== 'open') throw new Error(opened.kind === 'in-use' ? 'in use' : opened.message);
    const left: StoredRecording[][] = [];
    for (let after = ''; ;) {
      const page = await this.thread.run('read', { after });
      if (page.length === 0) break;
      left.push(page);
      after = page.at(-1)!.id;
    }
    this.isOpen = true;
    for (const page of left) for (const { id } of page) this.stored.add(id);
    for (const page of left) {
      onPage(page);
      // Others have their turn between two pages.
      await nextTurn();
    }
  }

  /**
   * Keeps a recording, in the place of an earlier form of it.
   * @param onKept called when the file has it, as safely as the settings ask for, or when it cannot have it.
   */
  put(recording: StoredRecording, onKept?: () => void): void {
    if (!this.isOpen) {
      if (recording.finished) this.metrics.storeErrors.inc();
      onKept?.();
      return;
    }
    const waits = onKept ?? this.pending.get(recording.id)?.onKept;
    this.pending.set(recording.id, { recording, onKept: this.failing ? undefined : waits });
    if (this.failing) onKept?.();
    if (waits && !this.failing) this.schedule();
    else this.later();
  }

  /** A recording is delivered or lost for good. */
  remove(id: string): void {
    const former = this.pending.get(id);
    if (this.stored.delete(id)) {
      this.pending.set(id, REMOVAL);
      this.later();
    } else if (former?.recording) {
      this.pending.delete(id);
    }
    former?.onKept?.();
  }

  /** Lets go of the directory; what is undelivered stays in it. */
  async close(): Promise<void> {
    await this.writing;
    do {
      this.write();
      await this.writing;
    } while (this.pending.size > 0 && !this.failing);
    this.isOpen = false;
    for (const timer of [this.gatherTimer, this.syncTimer, this.idleTimer]) clearTimeout(timer);
    await this.thread.close(WRITE_DEADLINE_MS);
  }

  private async tryToOpen(): Promise<OpenResult> {
    try {
      const opened = await this.thread.run('open');
      if (opened.kind === 'open') this.report(opened);
      return opened;
    } catch (error) {
      return { kind: 'unreadable', message: (error as Error).message };
    }
  }

  private report({ quarantined, removed }: QuarantineChanges): void {
    if (quarantined === 0) return;
    this.logger.error(
      { directory: path.join(this.directory, QUARANTINE) },
      'a file of the spool directory was damaged and is in its quarantine; what could be read of it is delivered',
    );
    this.metrics.quarantines.inc(quarantined);
    this.metrics.quarantineRemovals.inc(removed);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    // The changes of all calls in this turn go into one transaction.
    setImmediate(() => {
      this.isScheduled = false;
      this.write();
    });
  }

  private later(): void {
    this.gatherTimer ??= setTimeout(
      () => {
        this.gatherTimer = undefined;
        this.write();
      },
      this.failing ? RETRY_MS : GATHER_MS,
    ).unref();
  }

  /** Gives the next batch to the thread, unless it has one. */
  private write(): void {
    if (this.writing !== null || this.pending.size === 0 || !this.isOpen) return;
    this.writing = this.writeBatch(this.takeBatch()).finally(() => {
      this.writing = null;
      if (this.pending.size === 0) this.idle();
      else if (this.failing) this.later();
      else this.schedule();
    });
  }

  private takeBatch(): Map<string, Change> {
    const batch = new Map<string, Change>();
    let chars = 0;
    for (const [id, change] of this.pending) {
      chars += change.recording === null ? 0 : change.recording.span.length + change.recording.trace.length;
      if (batch.size === BATCH_RECORDINGS_MAX || (batch.size > 0 && chars > BATCH_CHARS_MAX)) break;
      batch.set(id, change);
      this.pending.delete(id);
      if (change.recording !== null) this.stored.add(id);
    }
    return batch;
  }

  private async writeBatch(batch: Map<string, Change>): Promise<void> {
    const put: StoredRecording[] = [];
    const removed: string[] = [];
    for (const [id, { recording }] of batch) {
      if (recording === null) removed.push(id);
      else put.push(recording);
    }
    const end = (): void => batch.forEach(({ onKept }) => onKept?.());
    const hangs = setTimeout(() => {
      end();
      this.fail(new Error('the disk does not answer'));
    }, WRITE_DEADLINE_MS);
    try {
      this.report(await this.thread.run('write', { put, removed }));
      this.failing = false;
      this.syncLater();
    } catch (error) {
      this.failed(batch, error);
    }
    clearTimeout(hangs);
    end();
  }

  /** The calls of a batch are kept in memory alone, until the disk takes them or they are delivered. */
  private failed(batch: Map<string, Change>, error: unknown): void {
    for (const [id, { recording, hasFailed = false }] of batch) {
      if (recording?.finished && !hasFailed) this.metrics.storeErrors.inc();
      if (!this.pending.has(id)) this.pending.set(id, { recording, onKept: undefined, hasFailed: true });
    }
    this.fail(error);
  }

  private fail(error: unknown): void {
    if (!this.failing) {
      this.logger.error({ err: error }, 'the spool directory cannot be written; recordings are kept in memory');
    }
    this.failing = true;
    // No call waits for a disk that takes nothing.
    for (const change of this.pending.values()) {
      const { onKept } = change;
      if (onKept === undefined) continue;
      change.onKept = undefined;
      onKept();
    }
  }

  /** With `interval` the log of the file is brought to the disk once a second, beside the thread. */
  private syncLater(): void {
    if (this.sync !== 'interval') return;
    this.syncTimer ??= setTimeout(() => {
      this.syncTimer = undefined;
      void this.syncLog();
    }, SYNC_MS).unref();
  }

  private async syncLog(): Promise<void> {
    try {
      await using log = await fs.promises.open(path.join(this.directory, 'recordings.db-wal'));
      await log.sync();
      this.syncFailing = false;
    } catch (error) {
      if (!this.syncFailing) {
        this.logger.error({ err: error }, 'the spool directory cannot be synced; a power cut may take what it holds');
      }
      this.syncFailing = true;
    }
  }

  private idle(): void {
    if (this.stored.size > 0) return;
    this.idleTimer ??= setTimeout(() => {
      this.idleTimer = undefined;
      if (this.stored.size > 0 || this.pending.size > 0 || this.writing !== null || !this.isOpen) return;
      this.writing = this.thread
        .run('compact')
        .catch(() => undefined)
        .finally(() => {
          this.writing = null;
          if (this.pending.size > 0) this.schedule();
        });
    }, IDLE_MS).unref();
  }
}

/** Files of a folder; none where there is no such folder. */
function filesIn(folder: string): string[] {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name));
}
