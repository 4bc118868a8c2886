import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { WireEvent } from '../domain-events.js';
import type { EventLogRow } from './event-log.entity.js';

export interface EventBatch {
  readonly projectId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The JSON text of each event, in order: `lines[0]` is number `firstSeq`. */
  readonly lines: readonly string[];
}

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

/**
 * Bytes of the events of one row, about; a larger event has a row to itself. What is read of the log at once, for each
 * client that is sent from it, is at least a row.
 */
const ROW_BYTES_MAX = 64 * 1024;
/** Shorter texts stay as they are: a call of zstd takes some 30 µs whatever it is given. */
const PACKED_BYTES_MIN = 1_024;
/** Longer texts are packed and unpacked beside the event loop. */
const PACKED_AT_ONCE_MAX = 128 * 1024;

const packBeside = promisify(zstdCompress);
const unpackBeside = promisify(zstdDecompress);

export async function rowsOf(
  { projectId, firstSeq }: Pick<EventBatch, 'projectId' | 'firstSeq'>,
  lines: readonly string[],
  createdAt: number,
): Promise<EventLogRow[]> {
  const sizes = lines.map((line) => Buffer.byteLength(line));
  const rows: EventLogRow[] = [];
  for (let begin = 0; begin < lines.length;) {
    let bytes = sizes[begin]!;
    let end = begin + 1;
    while (end < lines.length && bytes + sizes[end]! <= ROW_BYTES_MAX) bytes += sizes[end++]!;
    const text = lines.slice(begin, end).join('\n');
    const packed = bytes < PACKED_BYTES_MIN ? null : await pack(text);
    rows.push({
      projectId,
      firstSeq: firstSeq + begin,
      lastSeq: firstSeq + end - 1,
      lines: packed ? '' : text,
      createdAt,
      packed,
      sentLength: packed ? bytes : null,
    });
    begin = end;
  }
  return rows;
}

export async function linesOf({ lines, packed, sentLength }: EventLogRow): Promise<string[]> {
  if (!packed) return lines.split('\n');
  const unpacked = sentLength! > PACKED_AT_ONCE_MAX ? await unpackBeside(packed) : zstdDecompressSync(packed);
  return unpacked.toString().split('\n');
}

/** @returns `null` where packing does not pay. */
async function pack(text: string): Promise<Buffer | null> {
  const bytes = Buffer.from(text);
  // The size is given and the level low: otherwise zstd takes megabytes for each call.
  const options = { pledgedSrcSize: bytes.length, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  const packed =
    bytes.length > PACKED_AT_ONCE_MAX ? await packBeside(bytes, options) : zstdCompressSync(bytes, options);
  return packed.length < bytes.length ? packed : null;
}
