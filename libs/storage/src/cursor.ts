import { isStorableText } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';

/** A place in a sorted list: behind the row with this sorted value and id. */
export interface Position {
  /** `null` among the rows without a value, which come last. */
  value: number | string | null;
  /** The second sorted value, in lists that have one. */
  tie?: number;
  id: string;
}

/** What the sorted values of a list are. */
export type ValueType = 'integer' | 'number' | 'text';

/**
 * A position as an opaque string.
 * @param list what the cursor is good for: list, sort and order, such as `spans:cost:desc`.
 */
export const encodeCursor = (list: string, { value, id, tie }: Position): string =>
  Buffer.from(JSON.stringify(tie === undefined ? [list, value, id] : [list, value, id, tie])).toString('base64url');

/**
 * The position of a cursor.
 * @param tied whether the list has a second sorted value.
 * @throws Invalid `invalid_cursor` when it is malformed or made for another list, sort or order.
 */
export function decodeCursor(list: string, cursor: string, type: ValueType, tied = false): Position {
  const [madeFor, value, id, ...rest] = parse(cursor);
  const valid = madeFor === list && isText(id) && (value === null || isOfType(value, type));
  if (!valid || rest.length !== (tied ? 1 : 0) || !rest.every((tie) => Number.isSafeInteger(tie)))
    throw invalidCursor();
  return { value: value as Position['value'], id, ...(tied && { tie: rest[0] as number }) };
}

function parse(cursor: string): unknown[] {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor) throw invalidCursor();
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // not ours
  }
  throw invalidCursor();
}

const isText = (value: unknown): value is string => typeof value === 'string' && isStorableText(value);

const isOfType = (value: unknown, type: ValueType): boolean => {
  if (type === 'text') return isText(value);
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'number';
};

const invalidCursor = (): Invalid =>
  new Invalid('invalid_cursor', 'the cursor is malformed or was made for another list or sort order');
