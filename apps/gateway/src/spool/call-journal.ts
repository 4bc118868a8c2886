import fs from 'node:fs';
import type { AnswerFacts, CallFacts, Outcome } from '../recording/call-facts.js';
import type { FinalRecording } from '../recording/finalise.js';
import { ANYWHERE_LENGTH_MIN, redactJson } from '../recording/redact.js';
import { FrameType, encodeFrame } from './journal-frames.js';

/** Notifications of a journal to the directory that it is in. */
export interface JournalOwner {
  onJournalError(error: unknown): void;
}

/**
 * The file that keeps one call over a crash of the gateway. Each frame is in the operating system's hands before the
 * bytes it tells of go on, so that after a kill the recording can be made from what stands there. It holds no
 * credential but the caller's Spandrel key, sealed, and bodies only where the capture mode records them whole.
 *
 * A write that fails (disk full) ends the journal, never the call.
 */
export class CallJournal {
  private fd: number | null;
  private contentLeft: number;
  private readonly masks: readonly Buffer[];

  /** @param contentMax bytes of bodies kept; 0 for a call whose content may not be kept. */
  constructor(
    readonly path: string,
    private readonly owner: JournalOwner,
    facts: CallFacts,
    private readonly secrets: readonly string[],
    contentMax: number,
  ) {
    this.contentLeft = contentMax;
    // Bytes are masked wherever they stand, so short ones would spoil the JSON around them.
    this.masks = secrets.filter(({ length }) => length >= ANYWHERE_LENGTH_MIN).map((secret) => Buffer.from(secret));
    this.fd = this.open();
    this.append(FrameType.Facts, this.json(facts));
  }

  requestChunk(chunk: Buffer): void {
    this.content(FrameType.RequestChunk, chunk);
  }

  requestComplete(): void {
    this.append(FrameType.RequestEnd, Buffer.alloc(0));
  }

  answerHead(answer: AnswerFacts): void {
    // An error may repeat the credentials in any coding: its body is left to the finished recording.
    if (answer.status < 200 || answer.status >= 300) this.contentLeft = 0;
    this.append(FrameType.AnswerHead, this.json(answer));
  }

  answerChunk(chunk: Buffer, at: number): void {
    if (this.contentLeft === 0) return;
    const time = Buffer.allocUnsafe(8);
    time.writeDoubleLE(at);
    this.content(FrameType.AnswerChunk, chunk, time);
  }

  end(outcome: Outcome, tick: number): void {
    this.append(FrameType.End, this.json({ outcome, tick }));
  }

  /** The recording as it is sent. A finished one makes all other frames superfluous and closes the file. */
  recording(recording: FinalRecording, finished: boolean): void {
    this.append(
      finished ? FrameType.Finished : FrameType.Running,
      Buffer.from(JSON.stringify([recording.trace, recording.span])),
    );
    if (finished) this.close();
  }

  close(): void {
    if (this.fd === null) return;
    const { fd } = this;
    this.fd = null;
    fs.close(fd, () => undefined);
  }

  /** The recording is delivered or lost for good. */
  remove(): void {
    this.close();
    fs.unlink(this.path, () => undefined);
  }

  private content(type: FrameType, chunk: Buffer, prefix?: Buffer): void {
    if (this.contentLeft === 0) return;
    const kept = this.mask(chunk.length > this.contentLeft ? chunk.subarray(0, this.contentLeft) : chunk);
    this.contentLeft -= kept.length;
    this.append(type, kept, prefix);
  }

  /** Overwrites credentials, length unchanged. */
  private mask(chunk: Buffer): Buffer {
    let masked = chunk;
    for (const secret of this.masks) {
      for (let at = masked.indexOf(secret); at !== -1; at = masked.indexOf(secret, at)) {
        if (masked === chunk) masked = Buffer.from(chunk);
        masked.fill(0x2a, at, at + secret.length);
      }
    }
    return masked;
  }

  private json(value: unknown): Buffer {
    return Buffer.from(redactJson(JSON.stringify(value), this.secrets));
  }

  private append(type: FrameType, payload: Buffer, prefix?: Buffer): void {
    if (this.fd === null) return;
    try {
      const frame = encodeFrame(type, payload, prefix);
      const written = fs.writeSync(this.fd, frame);
      if (written !== frame.length) throw new Error('short write');
    } catch (error) {
      this.fail(error);
    }
  }

  private open(): number | null {
    try {
      return fs.openSync(this.path, 'ax', 0o600);
    } catch (error) {
      this.owner.onJournalError(error);
      return null;
    }
  }

  private fail(error: unknown): void {
    this.owner.onJournalError(error);
    this.remove();
  }
}
