import { textLength, type EventBatch } from '../log/event-batch.js';

/** Text that is kept, in UTF-16 units. */
const TEXT_MAX = 256 * 1024;

/**
 * The newest events of a feed, without a gap: a client that has read the log meets the feed here, however fast new events
 * come while it reads.
 */
export class RecentEvents {
  private batches: EventBatch[] = [];
  private length = 0;

  add(batch: EventBatch): void {
    const previous = this.batches.at(-1);
    if (previous && previous.lastSeq + 1 !== batch.firstSeq) this.clear();
    this.batches.push(batch);
    this.length += textLength([batch]);
    let dropped = 0;
    while (this.length > TEXT_MAX && dropped < this.batches.length)
      this.length -= textLength([this.batches[dropped++]!]);
    if (dropped > 0) this.batches = this.batches.slice(dropped);
  }

  /** All events behind a sequence number; the first batch may begin before. `undefined` when some are not kept. */
  behind(seq: number): readonly EventBatch[] | undefined {
    const first = this.batches[0];
    if (!first || first.firstSeq > seq + 1) return undefined;
    return this.batches.filter(({ lastSeq }) => lastSeq > seq);
  }

  private clear(): void {
    this.batches = [];
    this.length = 0;
  }
}
