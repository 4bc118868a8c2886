import fs from 'node:fs';
import { decodeFrames } from './call-file-frames.js';
import { Recovery, type RecoveryParts } from './recovery.js';

/** What became of a file: its recording waits in the spool, it is damaged, it is tried again, or nothing is left to do. */
type Outcome = 'recovered' | 'damaged' | 'unreadable' | 'waits' | 'gone';

/**
 * Recovers the files of a gateway before ADR 0036, one a call. One whose provider is not loaded waits for the next start,
 * and one that is damaged goes to quarantine, once what can be read of it has been delivered.
 */
export class CallFileRecovery extends Recovery {
  private unread: readonly string[];
  private withoutProvider = 0;

  constructor(parts: RecoveryParts) {
    super(parts);
    this.unread = parts.directory.leftCalls;
  }

  get waiting(): number {
    return this.unread.length + this.withoutProvider;
  }

  protected async passOnce(): Promise<{ recovered: number; unread: number }> {
    const unread: string[] = [];
    let recovered = 0;
    for (const file of this.unread) {
      const outcome = this.stopped ? 'unreadable' : await this.recover(file);
      if (outcome === 'recovered') recovered++;
      else if (outcome === 'unreadable') unread.push(file);
      else if (outcome === 'waits') this.withoutProvider++;
    }
    this.unread = unread;
    return { recovered, unread: unread.length };
  }

  private async recover(file: string): Promise<Outcome> {
    let bytes: Buffer;
    try {
      bytes = this.parts.read(file);
    } catch (error) {
      const outcome = this.unreadable(file, error);
      return outcome === 'damaged' ? this.damaged(file, error) : outcome;
    }
    if (bytes.length === 0) {
      // The gateway was killed before it wrote a byte.
      fs.rmSync(file, { force: true });
      return 'gone';
    }
    const { frames, whole } = decodeFrames(bytes);
    const { directory, spool } = this.parts;
    let item: Awaited<ReturnType<typeof this.recoverCall>>;
    try {
      item = await this.recoverCall(frames);
    } catch (error) {
      return this.damaged(file, error);
    }
    if (item === 'no-facts') return this.damaged(file, new Error('its beginning cannot be read'));
    if (item === 'no-provider') {
      this.sayWaits(file);
      return 'waits';
    }
    if (!whole) this.sayDamaged(file, new Error('its end cannot be read'));
    directory.adoptFile(item.id, file, whole);
    spool.add(item);
    return 'recovered';
  }

  private damaged(file: string, error: unknown): Outcome {
    this.sayDamaged(file, error);
    return this.parts.directory.quarantine(file) ? 'damaged' : 'unreadable';
  }
}
