import type { EventBatch } from './event-batch.js';
import type { EventLogRow } from './event-log.entity.js';
import { packLines, unpackLines } from './packed-lines.js';

/** An event as the log keeps it. */
export interface LoggedLine {
  line: string;
  /** Bytes of the event as it is sent, in UTF-8. */
  bytes: number;
}

/**
 * Bytes that the events of one row are sent as, about; a larger event has a row to itself. What is read of
 * the log at once, for each client that is sent from it, is at least a row.
 */
const SENT_BYTES_MAX = 64 * 1024;
/** Bytes that one row keeps, or packs, about. */
const KEPT_BYTES_MAX = 32 * 1024;

/** The rows of events that follow one another. */
export function rowsOf(
  { projectId, firstSeq }: Pick<EventBatch, 'projectId' | 'firstSeq'>,
  lines: readonly LoggedLine[],
  createdAt: number,
): EventLogRow[] {
  const rows: EventLogRow[] = [];
  let begin = 0;
  let sent = 0;
  let kept = 0;
  const end = (index: number): void => {
    const ofRow = lines.slice(begin, index).map(({ line }) => line);
    const packed = packLines(ofRow);
    rows.push({
      projectId,
      firstSeq: firstSeq + begin,
      lastSeq: firstSeq + index - 1,
      lines: packed ? '' : ofRow.join('\n'),
      createdAt,
      packed,
      sentLength: packed || sent !== kept ? sent : null,
    });
    begin = index;
    sent = 0;
    kept = 0;
  };
  for (const [index, { line, bytes }] of lines.entries()) {
    const ofLine = Buffer.byteLength(line);
    if (sent > 0 && (sent + bytes > SENT_BYTES_MAX || kept + ofLine > KEPT_BYTES_MAX)) end(index);
    sent += bytes;
    kept += ofLine;
  }
  end(lines.length);
  return rows;
}

/** The lines of a row as they were kept. */
export const linesOf = ({ lines, packed }: Pick<EventLogRow, 'lines' | 'packed'>): string[] =>
  packed ? unpackLines(packed) : lines.split('\n');
