import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { MARKER_BYTES } from './segment-frames.js';

const SUFFIX = '.journal';
const NAME = new RegExp(`^(\\d{15})-([0-9a-f]{${2 * MARKER_BYTES}})\\${SUFFIX}$`);

/** One file of the journal. Its name tells its place in the order of all and the marker of its frames. */
export class Segment {
  /** Bytes in the file. */
  bytes = 0;
  /** Bytes of frames that are still needed. */
  live = 0;
  /** Not all of it can be read: it goes to quarantine instead of being deleted. */
  damaged = false;
  /** A file of a former run that was not looked through yet; it stays. */
  unread = false;

  private constructor(
    readonly path: string,
    readonly serial: number,
    readonly marker: Buffer,
  ) {}

  /** The next one. @param after serial of the newest that there is. */
  static after(after: number, directory: string): Segment {
    const serial = Math.max(Date.now(), after + 1);
    const marker = randomBytes(MARKER_BYTES);
    const name = `${String(serial).padStart(15, '0')}-${marker.toString('hex')}${SUFFIX}`;
    return new Segment(path.join(directory, name), serial, marker);
  }

  /** The one in a file of a former run; `undefined` for a file that is none. */
  static ofFile(file: string): Segment | undefined {
    const [, serial, marker] = NAME.exec(path.basename(file)) ?? [];
    if (serial === undefined || marker === undefined) return undefined;
    const segment = new Segment(file, Number(serial), Buffer.from(marker, 'hex'));
    segment.unread = true;
    return segment;
  }
}

/** Where the frames of a call stand that a recovery would need. */
export class KeptCall {
  /** Number of its next frame. */
  number = 0;
  /** The recording is finished: only its facts and that frame are needed. */
  finished = false;
  /** A frame of it could not be written: it is kept in memory alone. */
  lost = false;
  private facts: Part | null = null;
  private parts: Part[] = [];

  constructor(readonly id: string) {}

  /** Frames of it stand in a segment. @param isFacts they tell what the call is. @param finished they hold its recording. */
  add(segment: Segment, bytes: number, isFacts: boolean, finished: boolean): void {
    if (finished) {
      this.finished = true;
      this.leave();
      if (this.facts) this.count(this.facts.segment, this.facts.bytes);
    }
    if (isFacts) this.facts = { segment, bytes };
    this.count(segment, bytes);
  }

  /** None of its frames are needed any more. */
  leave(): void {
    for (const { segment, bytes } of this.parts) segment.live -= bytes;
    this.parts = [];
  }

  isIn(segment: Segment): boolean {
    return this.parts.some((part) => part.segment === segment);
  }

  /** What it had in a segment stands in another now. */
  move(from: Segment, to: Segment, bytes: number): void {
    for (const { segment, bytes: moved } of this.parts) if (segment === from) segment.live -= moved;
    this.parts = this.parts.filter(({ segment }) => segment !== from);
    this.count(to, bytes);
    if (this.facts?.segment === from) this.facts.segment = to;
  }

  private count(segment: Segment, bytes: number): void {
    segment.live += bytes;
    const last = this.parts.at(-1);
    if (last?.segment === segment) last.bytes += bytes;
    else this.parts.push({ segment, bytes });
  }
}

interface Part {
  segment: Segment;
  bytes: number;
}
