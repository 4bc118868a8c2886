import type { WireEvent } from '../domain-events.js';

/** Events of a project that follow one another without a gap, committed. */
export interface EventBatch {
  readonly projectId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The JSON text of each event, in order: `lines[0]` is number `firstSeq`. */
  readonly lines: readonly string[];
}

/** The numbers of events that follow one another. */
export type EventNumbers = Pick<EventBatch, 'firstSeq' | 'lastSeq'>;

/**
 * The JSON of an event as it is sent. A raw line break in JSON is white space: within a text it would be escaped. On the
 * stream it would end the event.
 */
export const oneLine = ({ json }: Pick<WireEvent, 'json'>): string =>
  json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]/g, ' ') : json;

/** What of a batch lies behind a sequence number; `undefined` when nothing does. */
export function behind(batch: EventBatch, seq: number): EventBatch | undefined {
  if (batch.lastSeq <= seq) return undefined;
  if (batch.firstSeq > seq) return batch;
  const { projectId, firstSeq, lastSeq, lines } = batch;
  return { projectId, firstSeq: seq + 1, lastSeq, lines: lines.slice(seq + 1 - firstSeq) };
}

/** Length of the texts of some batches, in UTF-16 units. */
export const textLength = (batches: readonly EventBatch[]): number =>
  batches.reduce((sum, { lines }) => sum + lines.reduce((length, line) => length + line.length, 0), 0);

/** Every event begins so, as {@link DomainEvents} has it. */
const BEFORE_TYPE = '{"type":"'.length;

/** The type of an event, from the beginning of its JSON text. */
export const typeOf = (line: string): string => line.slice(BEFORE_TYPE, line.indexOf('"', BEFORE_TYPE));
