/**
 * Memory for the bodies of batches, one after another in the same place. With memory of its own for each, a flush takes so much
 * outside of V8's heap that V8 stops the application for 5 to 10 ms at a time to look for garbage.
 */
export class BodyRoom {
  private room = new Uint8Array(0);

  /**
   * @param isCopied whether `fetch` copies a body as it is called, as the Fetch standard has it ("extract a body"). Where
   *   another one is given, nobody knows how long it reads what it got: then each body has memory of its own.
   */
  constructor(private readonly isCopied: boolean) {}

  /** @returns so many bytes, whatever is in them; with `isCopied` they are those that were given last. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (!this.isCopied) return new Uint8Array(bytes);
    // Full batches differ by a span at most: all of them fit in the first one's room.
    if (bytes > this.room.length) this.room = new Uint8Array(2 ** Math.ceil(Math.log2(bytes)));
    return this.room.subarray(0, bytes);
  }

  /** Nothing waits any more. */
  release(): void {
    this.room = new Uint8Array(0);
  }
}
