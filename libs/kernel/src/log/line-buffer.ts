/** Lines that wait to be written, as chunks of bytes that hold whole lines; never more than it may hold. */
export class LineBuffer {
  /** How many lines were dropped: they did not fit, or nobody could take them. */
  dropped = 0;
  /** Bytes that wait. */
  bytes = 0;
  private readonly sealed: Buffer[] = [];
  /** The text that the next lines join; encoded when it is as long as a chunk, or wanted. */
  private tail = '';
  private tailBytes = 0;
  /** What is left of the chunk that is being written. */
  private head: Buffer | undefined;

  /**
   * @param bytesMax how many bytes may wait.
   * @param chunkBytesMax the size of a chunk; a longer line is a chunk by itself.
   */
  constructor(
    private readonly bytesMax: number,
    private readonly chunkBytesMax: number,
  ) {}

  /** @param text whole lines. Dropped and counted when they do not fit. */
  add(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes > this.bytesMax) {
      this.drop(text);
      return;
    }
    if (this.tailBytes > 0 && this.tailBytes + bytes > this.chunkBytesMax) this.seal();
    this.tail += text;
    this.tailBytes += bytes;
    this.bytes += bytes;
  }

  /** The bytes to write next. The same ones until they are taken. */
  next(): Buffer | undefined {
    if (this.head) return this.head;
    if (this.sealed.length === 0 && this.tailBytes > 0) this.seal();
    return (this.head = this.sealed.shift());
  }

  /** The first bytes of {@link next} are written. */
  took(bytes: number): void {
    this.bytes -= bytes;
    const rest = this.head!.subarray(bytes);
    this.head = rest.length > 0 ? rest : undefined;
  }

  /** Drops lines that do not get in here. */
  drop(text: string): void {
    this.dropped += Math.max(1, text.split('\n').length - 1);
  }

  /** Drops all that waits; a line that was written in part is one of them. */
  dropAll(): void {
    for (let chunk = this.next(); chunk; chunk = this.next()) {
      this.drop(chunk.toString('latin1'));
      this.took(chunk.length);
    }
  }

  private seal(): void {
    this.sealed.push(Buffer.from(this.tail));
    this.tail = '';
    this.tailBytes = 0;
  }
}
