import { isStorableText } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';

/** A place in a sorted list: behind the row with this sorted value and id. */
export interface Position {
  /** `null` among the rows without a value, which come last. */
  value: number | string | null;
  id: string;
}

export type ValueType = 'integer' | 'number' | 'text';

/** A position as an opaque string. @param list what it is good for: list, sort and order, such as `spans:cost:desc`. */
export const encodeCursor = (list: string, { value, id }: Position): string =>
  Buffer.from(JSON.stringify([list, value, id])).toString('base64url');

/** @throws Invalid `invalid_cursor` when it is malformed or made for another list (docs/spec/general.md#cursors). */
export function decodeCursor(list: string, cursor: string, type: ValueType): Position {
  const [madeFor, value, id, ...rest] = parse(cursor);
  const valid = madeFor === list && rest.length === 0 && isText(id) && (value === null || isOfType(value, type));
  if (!valid) throw invalidCursor();
  return { value: value as Position['value'], id };
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
