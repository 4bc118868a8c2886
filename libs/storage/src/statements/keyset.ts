import { type SortOrder, isStorableText } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';
import { RowShape, text } from './row-shape.js';
import { joinSql, rawSql, sql, unindexed, type Sql } from './sql.js';

/** How a list is sorted: by a column, ties by id in the same direction, rows without a value last in either order. */
export interface Sorting {
  list: string;
  column: string;
  idColumn: string;
  type: ValueType;
  nullable: boolean;
  order: SortOrder;
  /** Few rows are found by other means: sorting them is cheaper than an index in list order. */
  unindexed?: boolean;
}

/** Which part of a list: a nullable column sorts in two, so that an index serves each. */
export type Part = 'valued' | 'valueless';

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export const startOf = (
  { list, type }: Pick<Sorting, 'list' | 'type'>,
  cursor: string | undefined,
): Position | undefined => (cursor === undefined ? undefined : decodeCursor(list, cursor, type));

export const positionShape = ({ type, nullable }: Pick<Sorting, 'type' | 'nullable'>): RowShape<Position> =>
  new RowShape({ value: { kind: type, nullable }, id: text() });

function partsFrom({ nullable }: Sorting, from: Position | undefined): Part[] {
  if (from?.value === null) return ['valueless'];
  return nullable ? ['valued', 'valueless'] : ['valued'];
}

/** Rows of a part, behind a position. */
export function behind(sorting: Sorting, part: Part, from: Position | undefined): Sql {
  const { column, idColumn, nullable, order } = sorting;
  const beyond = rawSql(order === 'asc' ? '>' : '<');
  const [value, id] = [rawSql(column), rawSql(idColumn)];
  if (part === 'valueless') {
    return from?.value === null ? sql`${value} is null and ${id} ${beyond} ${from.id}` : sql`${value} is null`;
  }
  const present = nullable ? sql`${value} is not null` : sql`1 = 1`;
  return from === undefined ? present : sql`${present} and ${compared(sorting, beyond, from)}`;
}

/** Rows of a part up to and with a position. */
export function upTo(sorting: Sorting, part: Part, to: Position): Sql {
  const within = rawSql(sorting.order === 'asc' ? '<=' : '>=');
  return part === 'valueless' ? sql`${rawSql(sorting.idColumn)} ${within} ${to.id}` : compared(sorting, within, to);
}

const compared = ({ column, idColumn }: Sorting, operator: Sql, { value, id }: Position): Sql =>
  sql`(${rawSql(column)}, ${rawSql(idColumn)}) ${operator} (${value}, ${id})`;

export function orderBy({ column, idColumn, order, unindexed: few }: Sorting, part: Part): Sql {
  const columns = part === 'valueless' ? [idColumn] : [column, idColumn];
  return joinSql(
    columns.map((one) => sql`${few ? unindexed(one) : rawSql(one)} ${rawSql(order)}`),
    ', ',
  );
}

export interface Fetched<Row> {
  rows: Row[];
  /** There are more rows than were handed over, though fewer than were asked for: they would have been too large. */
  cut?: boolean;
}

/**
 * Fills a page of `limit` items part by part.
 * @param fetch rows of a part behind a position, in order, at most as many as asked for.
 */
export async function fillPage<Row>(
  sorting: Sorting,
  from: Position | undefined,
  limit: number,
  fetch: (part: Part, from: Position | undefined, count: number) => Promise<Fetched<Row>>,
  positionOf: (row: Row) => Position,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  let more = false;
  for (const part of partsFrom(sorting, from)) {
    const start = part === 'valueless' && from?.value !== null ? undefined : from;
    const fetched = await fetch(part, start, limit + 1 - rows.length);
    rows.push(...fetched.rows);
    more = rows.length > limit || fetched.cut === true;
    if (more) break;
  }
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: more && last ? encodeCursor(sorting.list, positionOf(last)) : null };
}

/** Compares texts as both databases order them, by their bytes; JavaScript compares UTF-16 units. Negative: a first. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return ASCII.test(a) && ASCII.test(b) ? (a < b ? -1 : 1) : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const ASCII = /^[\0-\x7f]*$/;

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
