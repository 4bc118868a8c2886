const LF = 0x0a;
const CR = 0x0d;

/** An event that is longer is not the one looked for, which has some hundred bytes. */
const HELD_BYTES_MAX = 16 * 1024;

/** No event that is shorter has usage and choices. */
const USAGE_BYTES_MIN = '{"choices":[],"usage":{}}'.length;

/**
 * Takes the chunk with nothing but usage out of a stream of server-sent events in OpenAI's format. Everything else comes
 * out byte for byte. An event is held until it is whole; nobody can read it sooner.
 */
export class UsageChunkFilter {
  /** The beginning of an event that is not whole. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** The event is too long to be held: the rest of it passes as it comes. */
  private passing = false;
  /** No byte of the current line has come. */
  private lineIsEmpty = true;
  /** The last piece ended in a carriage return, whose line feed may follow. */
  private endedInCr = false;
  /** The last whole event was taken out. */
  private tookOut = false;

  /** @returns what may go on by now, possibly nothing. */
  push(chunk: Buffer): Buffer {
    const out: Buffer[] = [];
    let start = this.lineFeedLeft(chunk, out);
    /** Where the whole events begin that go on and have not been given out. */
    let passed = start;
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== CR && byte !== LF) {
        this.lineIsEmpty = false;
        continue;
      }
      if (byte === CR) {
        if (chunk[at + 1] === LF) at++;
        else this.endedInCr = at + 1 === chunk.length;
      }
      if (this.lineIsEmpty) {
        if (this.endEvent(chunk, start, at + 1, out)) {
          if (start > passed) out.push(chunk.subarray(passed, start));
          passed = at + 1;
        }
        start = at + 1;
      }
      this.lineIsEmpty = true;
    }
    if (start > passed) out.push(chunk.subarray(passed, start));
    if (start < chunk.length) this.hold(chunk.subarray(start), out);
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }

  /** The stream is over, whole or not. @returns what was held. */
  end(): Buffer {
    const rest = Buffer.concat(this.held);
    this.held = [];
    return isUsageChunk(rest) ? Buffer.alloc(0) : rest;
  }

  /** A line feed that belongs to the end of the last piece. @returns where the rest of the piece begins. */
  private lineFeedLeft(chunk: Buffer, out: Buffer[]): number {
    if (chunk.length === 0 || !this.endedInCr) return 0;
    this.endedInCr = false;
    if (chunk[0] !== LF) return 0;
    const feed = chunk.subarray(0, 1);
    const eventIsOver = this.heldBytes === 0 && !this.passing;
    if (!eventIsOver) this.hold(feed, out);
    else if (!this.tookOut) out.push(feed);
    return 1;
  }

  /**
   * An event is whole; what was held of it goes on where it is not the one looked for.
   * @returns whether it is taken out.
   */
  private endEvent(chunk: Buffer, start: number, end: number, out: Buffer[]): boolean {
    const length = this.heldBytes + end - start;
    const mayBe = !this.passing && length <= HELD_BYTES_MAX && length >= USAGE_BYTES_MIN;
    this.tookOut = mayBe && isUsageChunk(Buffer.concat([...this.held, chunk.subarray(start, end)]));
    if (this.held.length > 0) {
      if (!this.tookOut) out.push(...this.held);
      this.held = [];
    }
    this.heldBytes = 0;
    this.passing = false;
    return this.tookOut;
  }

  private hold(part: Buffer, out: Buffer[]): void {
    this.held.push(part);
    this.heldBytes += part.length;
    if (!this.passing && this.heldBytes <= HELD_BYTES_MAX) return;
    this.passing = true;
    out.push(...this.held);
    this.held = [];
  }
}

/** Whether an event is a chunk with usage and without choices, as `stream_options.include_usage` has it sent last. */
function isUsageChunk(event: Buffer): boolean {
  if (!event.includes('"usage"')) return false;
  const data = event
    .toString('utf8')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));
  try {
    const { choices, usage } = JSON.parse(data.join('\n')) as { choices?: unknown; usage?: unknown };
    return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
  } catch {
    return false;
  }
}
