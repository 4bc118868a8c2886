import type { AnswerFacts, CallFacts, Outcome } from '../recording/call-facts.js';
import type { FinalRecording } from '../recording/finalise.js';
import type { Secrets } from '../recording/secrets.js';
import { FrameType } from './journal-frames.js';
import type { KeptCall } from './segment.js';
import type { SharedJournal } from './shared-journal.js';

/**
 * What the journal is told of one call. A step that passes bytes on is taken by {@link whenKept}, so that after a kill the
 * recording can be made from what stands in the files. They hold no credential but the caller's Spandrel key, sealed, and
 * bodies only where the capture mode records them whole.
 */
export class CallJournal {
  private readonly call: KeptCall;
  private contentLeft: number;

  /** @param contentMax bytes of bodies kept; 0 for a call whose content may not be kept. */
  constructor(
    private readonly journal: SharedJournal,
    facts: CallFacts,
    private readonly secrets: Secrets,
    contentMax: number,
  ) {
    this.contentLeft = contentMax;
    this.call = journal.begin(facts.id);
    this.json(FrameType.Facts, facts);
  }

  requestChunk(chunk: Buffer): void {
    this.content(FrameType.RequestChunk, chunk);
  }

  answerHead(answer: AnswerFacts): void {
    // An error may repeat the credentials in any coding: its body is left to the finished recording.
    if (answer.status < 200 || answer.status >= 300) this.contentLeft = 0;
    this.json(FrameType.AnswerHead, answer);
  }

  answerChunk(chunk: Buffer, at: number): void {
    if (this.contentLeft === 0) return;
    const time = Buffer.allocUnsafe(8);
    time.writeDoubleLE(at);
    this.content(FrameType.AnswerChunk, chunk, time);
  }

  end(outcome: Outcome, tick: number): void {
    this.json(FrameType.End, { outcome, tick });
  }

  /** The recording as it is sent. A finished one makes all frames but the first superfluous. */
  recording({ trace, span }: FinalRecording, finished: boolean): void {
    const type = finished ? FrameType.Finished : FrameType.Running;
    this.journal.append(this.call, type, `${trace}\n${span}`, false);
  }

  /** Has a step of the call happen when all that it has told is written. @returns whether it has happened. */
  whenKept(step: () => void): boolean {
    return this.journal.whenKept(step);
  }

  private content(type: FrameType, chunk: Buffer, prefix?: Buffer): void {
    if (this.contentLeft === 0) return;
    const kept = this.secrets.mask(chunk.length > this.contentLeft ? chunk.subarray(0, this.contentLeft) : chunk);
    this.contentLeft -= kept.length;
    this.journal.append(this.call, type, kept, true, prefix);
  }

  private json(type: FrameType, value: unknown): void {
    this.journal.append(this.call, type, this.secrets.redactJson(JSON.stringify(value)), true);
  }
}
