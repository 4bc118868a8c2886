import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { backoff, type Logger } from '@spandrel/kernel';
import type { KeySeal } from '../access/key-seal.js';
import type { RecordingRules } from '../masking/recording-rules.js';
import type { CallReader } from '../recording/call-reader.js';
import { Secrets } from '../recording/secrets.js';
import type { ProviderTable } from '../target/provider-table.js';
import type { Delivery } from './delivery.js';
import type { Frame } from './journal-frames.js';
import { recoverCall } from './recover-call.js';
import type { SpoolDirectory } from './spool-directory.js';
import type { Spool } from './spool.js';

export interface RecoveryParts {
  directory: SpoolDirectory;
  spool: Pick<Spool, 'add' | 'all'>;
  delivery: Pick<Delivery, 'wakeAll'>;
  providers: ProviderTable;
  /** Opens callers' keys; `null` without a credential of the gateway's own. */
  seal: KeySeal | null;
  /** Rules that are known hold; the API masks what is delivered in any case. */
  rules: Pick<RecordingRules, 'of'>;
  reader: Pick<CallReader, 'isLong' | 'read' | 'readAside'>;
  /** The most of a body that is kept decoded. */
  bytesMax: number;
  logger: Logger;
  /** Reads a file whole. */
  read: (file: string) => Buffer;
  /** First and longest pause before files that could not be read are tried again. */
  retryMs: number;
  retryMaxMs: number;
}

const UNMASKED = { kind: 'known' as const, masking: null };
/** They were taken out before anything was written. */
const NO_SECRETS = new Secrets([]);

/**
 * Takes back the recordings that a former run left in files of one kind. No file is removed that was not read: one that
 * cannot be read right now is tried again.
 */
export abstract class Recovery {
  private failures = 0;
  private timer: NodeJS.Timeout | null = null;
  private underWay = Promise.resolve();
  protected stopped = false;
  private readonly said = new Set<string>();

  constructor(protected readonly parts: RecoveryParts) {}

  /** Files that stay because they cannot be read, or not understood without their provider's plugin. */
  abstract get waiting(): number;

  /** Tries every file once; those that cannot be read are tried again until {@link stop}. */
  start(): Promise<void> {
    this.underWay = this.pass();
    return this.underWay;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.underWay;
  }

  /** Looks at all files that were not read. @returns how many recordings came, and how many files cannot be read. */
  protected abstract passOnce(): Promise<{ recovered: number; unread: number }>;

  protected async recoverCall(frames: readonly Frame[]): ReturnType<typeof recoverCall> {
    // Others have their turn between two calls.
    await nextTurn();
    const { providers, bytesMax, seal, rules, reader } = this.parts;
    return recoverCall(frames, providers, bytesMax, seal, (record, caller, running) => {
      const known = rules.of(caller);
      const rule = known.kind === 'known' ? known : UNMASKED;
      const toRead = { record, rule, secrets: NO_SECRETS, caller, running };
      return reader.isLong(toRead) ? reader.readAside(toRead) : reader.read(toRead);
    });
  }

  /** What becomes of a file that cannot be read, by the error. */
  protected unreadable(file: string, error: unknown): 'gone' | 'damaged' | 'unreadable' {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'gone';
    // What is no answer of the system (a file too large for memory) will not be better later.
    if (syscall === undefined) return 'damaged';
    this.sayOnce('unreadable', () =>
      this.parts.logger.error(
        { err: error, file: path.basename(file) },
        'a file of the spool directory cannot be read right now; it stays and is tried again, as are others from here on',
      ),
    );
    return 'unreadable';
  }

  protected sayWaits(file: string): void {
    this.sayOnce('waits', () =>
      this.parts.logger.warn(
        { file: path.basename(file) },
        'a call of a former run waits in the spool directory: the plugin of its provider is not loaded, or does not know the call; others wait with it',
      ),
    );
  }

  protected sayDamaged(file: string, error: unknown): void {
    this.sayOnce('damaged', () =>
      this.parts.logger.error(
        { err: error, file: path.basename(file) },
        'a file of the spool directory is damaged and goes to its quarantine; more of them are counted in the metrics alone',
      ),
    );
  }

  private async pass(): Promise<void> {
    const { recovered, unread } = await this.passOnce();
    if (recovered > 0) this.announce(recovered);
    if (unread > 0) this.tryAgain(recovered > 0);
    else if (this.failures > 0) this.parts.logger.info('every file of the spool directory has been read');
  }

  private tryAgain(progress: boolean): void {
    if (this.stopped) return;
    this.failures = progress ? 1 : this.failures + 1;
    const { retryMs, retryMaxMs } = this.parts;
    this.timer = setTimeout(() => void this.start(), backoff(this.failures, retryMs, retryMaxMs)).unref();
  }

  private sayOnce(what: string, say: () => void): void {
    if (this.said.has(what)) return;
    this.said.add(what);
    say();
  }

  private announce(recordings: number): void {
    const { logger, spool, delivery } = this.parts;
    logger.info({ recordings }, 'recovered recordings of an earlier run');
    const keyless = [...spool.all()].filter(({ deliverable }) => !deliverable);
    if (keyless.length > 0) {
      this.sayOnce('keyless', () =>
        logger.warn(
          { recordings: keyless.reduce((sum, { count }) => sum + count, 0), keys: keyless.length },
          'recordings of a former run wait until their callers come back: gateway.api_key is not what sealed their keys',
        ),
      );
    }
    delivery.wakeAll();
  }
}
