import { FrameType } from './journal-frames.js';
import { Recovery, type RecoveryParts } from './recovery.js';
import { decodeSegment } from './segment-frames.js';
import type { Segment } from './segment.js';
import type { LeftFrame, SharedJournal } from './shared-journal.js';

/** A frame of a former run and where it stands. */
interface FoundFrame extends LeftFrame {
  start: number;
  end: number;
  /** The payload, where the call waits: the frame itself may be carried to another segment meanwhile. */
  payload?: Buffer;
}

/** What segments tell of a call. */
interface FoundCall {
  frames: FoundFrame[];
  recovered: boolean;
}

/** Segments that are held in memory while calls are read from them. */
const SEGMENTS_HELD = 8;

const NO_BYTES = Buffer.alloc(0);
const REFUSED = new Error('a segment cannot be read for now');

/**
 * Recovers the calls of a former run from the segments of its journal. What is damaged costs the frames it stands in; the
 * file goes to quarantine when all that can be read of it has been delivered. A call with frames in a segment that cannot
 * be read for now waits for it, others do not.
 */
export class JournalRecovery extends Recovery {
  private unread: Segment[];
  private readonly calls = new Map<string, FoundCall>();
  /** Calls that are over, as far as segments are still to be read that may tell of them. */
  private readonly done = new Set<string>();
  private readonly held = new Map<Segment, Buffer>();
  private withoutProvider = 0;
  /** Calls whose segments could be read once and then not again. */
  private refused = 0;
  private readonly journal: SharedJournal;

  constructor(parts: RecoveryParts) {
    super(parts);
    this.journal = parts.directory.journal;
    this.unread = [...parts.directory.leftSegments];
  }

  get waiting(): number {
    return this.unread.length + this.withoutProvider + this.journal.stuckFiles;
  }

  protected async passOnce(): Promise<{ recovered: number; unread: number }> {
    this.unread = this.unread.filter((segment) => !this.index(segment));
    const found = [...this.calls].filter(([, { recovered }]) => !recovered);
    let recovered = 0;
    this.refused = 0;
    for (const [id, call] of found) {
      if (this.stopped) break;
      if (await this.recover(id, call)) recovered++;
    }
    this.held.clear();
    if (this.unread.length + this.refused === 0) {
      this.calls.clear();
      this.done.clear();
    }
    this.journal.tidy();
    return { recovered, unread: this.unread.length + this.refused };
  }

  /** Notes the frames of a segment. @returns false when it cannot be read for now. */
  private index(segment: Segment): boolean {
    const bytes = this.bytesOf(segment);
    if (bytes === 'unreadable') {
      this.journal.setAside(segment);
      return false;
    }
    const { frames, whole } = decodeSegment(bytes === 'gone' ? NO_BYTES : bytes, segment.marker);
    this.journal.read(segment, bytes === 'gone' ? 0 : bytes.length);
    if (!whole) this.damaged(segment, new Error('a part of it cannot be read'));
    const found = new Map<string, FoundFrame[]>();
    for (const { id, number, type, start, end } of frames) {
      if (type === FrameType.Done) this.end(id);
      else if (!this.done.has(id)) {
        const frame = { segment, number, type, bytes: end - start, start, end };
        const of = found.get(id);
        if (of) of.push(frame);
        else found.set(id, [frame]);
      }
    }
    for (const [id, of] of found) {
      if (this.done.has(id)) continue;
      const call = this.calls.get(id) ?? { frames: [], recovered: false };
      this.calls.set(id, call);
      call.frames.push(...of);
      this.journal.adopt(id, of);
    }
    return true;
  }

  private end(id: string): void {
    this.done.add(id);
    if (this.calls.delete(id)) this.journal.abandon(id);
  }

  /** @returns whether its recording waits in the spool. */
  private async recover(id: string, call: FoundCall): Promise<boolean> {
    const numbered = inOrder(call.frames);
    let item: Awaited<ReturnType<typeof this.recoverCall>>;
    try {
      if (this.unread.length > 0 && !isWhole(numbered)) {
        // What is missing may stand in a segment that cannot be read for now.
        for (const frame of call.frames) frame.payload ??= Buffer.from(this.payloadOf(frame));
        return false;
      }
      item = await this.recoverCall(numbered.map((frame) => ({ type: frame.type, payload: this.payloadOf(frame) })));
    } catch (error) {
      if (error === REFUSED) this.refused++;
      else this.giveUp(id, call, error);
      return false;
    }
    if (item === 'no-facts') {
      this.giveUp(id, call, new Error('the beginning of a call cannot be read'));
      return false;
    }
    call.recovered = true;
    if (item === 'no-provider') {
      this.sayWaits(call.frames[0]!.segment.path);
      this.withoutProvider++;
      return false;
    }
    this.parts.spool.add(item);
    return true;
  }

  private giveUp(id: string, call: FoundCall, error: unknown): void {
    call.recovered = true;
    for (const { segment } of call.frames) this.damaged(segment, error);
    this.journal.abandon(id);
  }

  private damaged(segment: Segment, error: unknown): void {
    segment.damaged = true;
    this.sayDamaged(segment.path, error);
  }

  private payloadOf({ segment, start, end, payload }: FoundFrame): Buffer {
    if (payload) return payload;
    const bytes = this.bytesOf(segment);
    if (bytes === 'unreadable') throw REFUSED;
    const frame = typeof bytes !== 'string' && decodeSegment(bytes.subarray(start, end), segment.marker).frames[0];
    if (!frame) throw new Error('a segment was changed or taken away');
    return frame.payload;
  }

  private bytesOf(segment: Segment): Buffer | 'gone' | 'unreadable' {
    const held = this.held.get(segment);
    if (held) return held;
    try {
      const bytes = this.parts.read(segment.path);
      if (this.held.size >= SEGMENTS_HELD) this.held.delete(this.held.keys().next().value!);
      this.held.set(segment, bytes);
      return bytes;
    } catch (error) {
      const outcome = this.unreadable(segment.path, error);
      if (outcome !== 'damaged') return outcome;
      this.damaged(segment, error);
      return 'gone';
    }
  }
}

/** Frames by their number, each once: a crash may leave the copy beside the original. */
function inOrder(frames: readonly FoundFrame[]): FoundFrame[] {
  const byNumber = new Map(frames.map((frame) => [frame.number, frame]));
  const sorted = [...byNumber.values()].sort((a, b) => a.number - b.number);
  const gap = sorted.findIndex(({ number }, index) => number !== index);
  if (gap === -1) return sorted;
  // What stands behind a gap says nothing, but for the recording that was finished.
  return [...sorted.slice(0, gap), ...sorted.slice(gap).filter(({ type }) => type === FrameType.Finished)];
}

/** Whether no other segment can have more to say of a call. */
function isWhole(frames: readonly FoundFrame[]): boolean {
  const has = (type: FrameType): boolean => frames.some((frame) => frame.type === type);
  return has(FrameType.Facts) && (has(FrameType.Finished) || has(FrameType.End));
}
