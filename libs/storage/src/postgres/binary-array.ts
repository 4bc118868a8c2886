import type { Kind } from '../statements/row-shape.js';
import type { SqlValue } from '../statements/sql.js';

/** The types of the elements: as a statement names them, and by their numbers in Postgres. */
const TYPES: Readonly<Record<Kind, { name: string; oid: number }>> = {
  text: { name: 'text', oid: 25 },
  integer: { name: 'bigint', oid: 20 },
  number: { name: 'double precision', oid: 701 },
  bytes: { name: 'bytea', oid: 17 },
};

/** Bytes in front of the first element: dimensions, whether there are nulls, the type, the length, the first index. */
const HEAD_BYTES = 20;
const NULL_LENGTH = -1;
const NUMBER_BYTES = 8;

/** The type of an array of such values, as a statement names it. */
export const arrayType = (kind: Kind): string => `${TYPES[kind].name}[]`;

/**
 * An array as Postgres sends and takes it in binary form (`array_recv`): nothing is escaped, and nothing is to be parsed.
 * @param values at least one.
 */
export function binaryArray(kind: Kind, values: readonly SqlValue[]): Buffer {
  const elements = kind === 'bytes' || kind === 'text' ? values.map((value) => lengthOf(value)) : undefined;
  const bytes = HEAD_BYTES + values.reduce<number>((sum, value, at) => sum + 4 + sizeAt(elements, value, at), 0);
  const buffer = Buffer.allocUnsafe(bytes);
  let offset = buffer.writeInt32BE(1, 0);
  offset = buffer.writeInt32BE(values.includes(null) ? 1 : 0, offset);
  offset = buffer.writeInt32BE(TYPES[kind].oid, offset);
  offset = buffer.writeInt32BE(values.length, offset);
  offset = buffer.writeInt32BE(1, offset);
  for (const [at, value] of values.entries()) {
    if (value === null) {
      offset = buffer.writeInt32BE(NULL_LENGTH, offset);
      continue;
    }
    const size = sizeAt(elements, value, at);
    offset = buffer.writeInt32BE(size, offset);
    if (typeof value === 'string') buffer.write(value, offset, size, 'utf8');
    else if (typeof value !== 'number') buffer.set(value, offset);
    else if (kind === 'number') buffer.writeDoubleBE(value, offset);
    else writeInteger(buffer, value, offset);
    offset += size;
  }
  return buffer;
}

function lengthOf(value: SqlValue): number {
  if (typeof value === 'number') throw new TypeError(`${value} is neither text nor bytes`);
  return typeof value === 'string' ? Buffer.byteLength(value) : (value?.byteLength ?? 0);
}

const sizeAt = (lengths: readonly number[] | undefined, value: SqlValue, at: number): number =>
  value === null ? 0 : (lengths?.[at] ?? NUMBER_BYTES);

/** Half of the range of a 64-bit integer each: a number of JavaScript takes no detour through BigInt. */
function writeInteger(buffer: Buffer, value: number, offset: number): void {
  if (!Number.isInteger(value)) throw new TypeError(`${value} is not an integer`);
  const high = Math.floor(value / 2 ** 32);
  buffer.writeInt32BE(high, offset);
  buffer.writeUInt32BE(value - high * 2 ** 32, offset + 4);
}
