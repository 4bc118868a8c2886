import fs from 'node:fs';
import path from 'node:path';
import { backoff, type Logger } from '@spandrel/kernel';
import type { Masking } from '@spandrel/masking/engine';
import type { CallerKey } from '../access/caller-key.js';
import type { KeySeal } from '../access/key-seal.js';
import type { ProviderTable } from '../target/provider-table.js';
import type { Delivery } from './delivery.js';
import { decodeFrames } from './journal-frames.js';
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
  /** The rules of a caller's project, as far as they are known. */
  maskingOf: (caller: CallerKey | null) => Masking | null;
  /** The most of a body that is kept decoded. */
  bytesMax: number;
  logger: Logger;
  /** Reads a file whole. */
  read?: (file: string) => Buffer;
  /** First and longest pause before files that could not be read are tried again. */
  retryMs?: number;
  retryMaxMs?: number;
}

/** What became of a file: its recording waits in the spool, it is damaged, it is tried again, or nothing is left to do. */
type Outcome = 'recovered' | 'damaged' | 'unreadable' | 'waits' | 'gone';

/**
 * Takes back the recordings that a former run left in the spool directory. No file is removed that was not read:
 * one that cannot be read right now is tried again, one whose provider is not loaded waits for the next start, and one
 * that is damaged goes to quarantine, once what can be read of it has been delivered.
 */
export class SpoolRecovery {
  /** Files that stay because they cannot be read, or not understood without their provider's plugin. */
  get waiting(): number {
    return this.unread.length + this.withoutProvider;
  }

  private readonly parts: Required<RecoveryParts>;
  private unread: readonly string[];
  private withoutProvider = 0;
  private failures = 0;
  private timer: NodeJS.Timeout | null = null;
  private underWay = Promise.resolve();
  private stopped = false;
  private readonly said = new Set<string>();

  constructor(parts: RecoveryParts) {
    this.parts = { read: (file) => fs.readFileSync(file), retryMs: 1_000, retryMaxMs: 300_000, ...parts };
    this.unread = parts.directory.left;
  }

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

  private async pass(): Promise<void> {
    const unread: string[] = [];
    let recovered = 0;
    for (const file of this.unread) {
      const outcome = this.stopped ? 'unreadable' : await this.recover(file);
      if (outcome === 'recovered') recovered++;
      else if (outcome === 'unreadable') unread.push(file);
      else if (outcome === 'waits') this.withoutProvider++;
    }
    this.unread = unread;
    if (recovered > 0) this.announce(recovered);
    if (unread.length > 0) this.tryAgain(recovered > 0);
    else if (this.failures > 0) this.parts.logger.info('every file of the spool directory has been read');
  }

  private tryAgain(progress: boolean): void {
    if (this.stopped) return;
    this.failures = progress ? 1 : this.failures + 1;
    const { retryMs, retryMaxMs } = this.parts;
    this.timer = setTimeout(() => void this.start(), backoff(this.failures, retryMs, retryMaxMs)).unref();
  }

  private async recover(file: string): Promise<Outcome> {
    let bytes: Buffer;
    try {
      bytes = this.parts.read(file);
    } catch (error) {
      return this.unreadable(file, error);
    }
    if (bytes.length === 0) {
      // The gateway was killed before it wrote a byte.
      fs.rmSync(file, { force: true });
      return 'gone';
    }
    const { frames, whole } = decodeFrames(bytes);
    const { providers, bytesMax, seal, directory, maskingOf } = this.parts;
    let item: Awaited<ReturnType<typeof recoverCall>>;
    try {
      item = await recoverCall(frames, providers, bytesMax, seal, maskingOf);
    } catch (error) {
      return this.damaged(file, error);
    }
    if (item === 'no-facts') return this.damaged(file, new Error('its beginning cannot be read'));
    if (item === 'no-provider') return this.waits(file);
    if (!whole) this.sayDamaged(file, new Error('its end cannot be read'));
    directory.adopt(item.id, file, whole);
    this.parts.spool.add(item);
    return 'recovered';
  }

  private unreadable(file: string, error: unknown): Outcome {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'gone';
    // What is no answer of the system (a file too large for memory) will not be better later.
    if (syscall === undefined) return this.damaged(file, error);
    this.sayOnce('unreadable', () =>
      this.parts.logger.error(
        { err: error, file: path.basename(file) },
        'a file of the spool directory cannot be read right now; it stays and is tried again, as are others from here on',
      ),
    );
    return 'unreadable';
  }

  private waits(file: string): Outcome {
    this.sayOnce('waits', () =>
      this.parts.logger.warn(
        { file: path.basename(file) },
        'a call of a former run waits in the spool directory: the plugin of its provider is not loaded, or does not know the call; others wait with it',
      ),
    );
    return 'waits';
  }

  private damaged(file: string, error: unknown): Outcome {
    this.sayDamaged(file, error);
    return this.parts.directory.quarantine(file) ? 'damaged' : 'unreadable';
  }

  private sayDamaged(file: string, error: unknown): void {
    this.sayOnce('damaged', () =>
      this.parts.logger.error(
        { err: error, file: path.basename(file) },
        'a file of the spool directory is damaged and goes to its quarantine; more of them are counted in the metrics alone',
      ),
    );
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
