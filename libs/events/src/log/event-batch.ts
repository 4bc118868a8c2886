/** Events of a project that follow one another without a gap, committed. */
export interface EventBatch {
  readonly projectId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The JSON text of each event, in order: `lines[0]` is number `firstSeq`. */
  readonly lines: readonly string[];
}

/** What of a batch lies behind a sequence number; `undefined` when nothing does. */
export function behind(batch: EventBatch, seq: number): EventBatch | undefined {
  if (batch.lastSeq <= seq) return undefined;
  if (batch.firstSeq > seq) return batch;
  return { ...batch, firstSeq: seq + 1, lines: batch.lines.slice(seq + 1 - batch.firstSeq) };
}

/** Length of the texts of some batches, in UTF-16 units. */
export const textLength = (batches: readonly EventBatch[]): number =>
  batches.reduce((sum, { lines }) => sum + lines.reduce((length, line) => length + line.length, 0), 0);
