import {
  anyOf,
  behind,
  joinSql,
  orderBy,
  positionShape,
  shapeOf,
  sql,
  text,
  upTo,
  type Part,
  type Position,
} from '@spandrel/storage';
import { placesOfSpans } from '../../span-places.sql.js';
import { PAYLOAD_OF_SPAN } from '../../span.store.js';
import { positionColumns, type Walk } from '../list-request.sql.js';
import { payloadConditions } from './text-filter.sql.js';
import type { Slice, TextSearch } from './text-strategy.js';

const ID = shapeOf({ id: text() });

/** The next `size` candidates in list order, those of them whose payload may contain what is searched. */
export function nextInListOrder(
  search: TextSearch,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<Slice> {
  const { walk } = search.found;
  // A join is planned without knowing where the slice lies: on Postgres it reads all payloads of the partitions.
  return walk && search.list.storage.dialect === 'sqlite'
    ? sliceOfWalk(search, walk, part, from, size)
    : sliceOfCandidates(search, part, from, size);
}

/** Where one statement finds the candidates, another one finds a slice's end, so that none of them need be read. */
async function sliceOfWalk(
  { list: { query, storage, options } }: TextSearch,
  { where, sorting }: Walk,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<Slice> {
  const order = orderBy(sorting, part);
  const [end] = await storage.readLong(
    positionShape(sorting)
      .query`select ${positionColumns(sorting)} from span s where ${where} and ${behind(sorting, part, from)}
      order by ${order} limit 1 offset ${size - 1}`,
    options,
  );
  const slice = end ? sql`${behind(sorting, part, from)} and ${upTo(sorting, part, end)}` : behind(sorting, part, from);
  const rows = await storage.readLong(
    ID.query`select s.id as id from span s join span_payload p on ${PAYLOAD_OF_SPAN}
      where ${where} and ${slice} and ${joinSql(payloadConditions(query), ' and ')} order by ${order}`,
    options,
  );
  return { maybes: rows.map(({ id }) => id), end };
}

/** The candidates are read, then their payloads by their keys. */
async function sliceOfCandidates(
  { list: { scope, query, storage, options }, found }: TextSearch,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<Slice> {
  const candidates = await found.candidates(part, from, size);
  const ids = candidates.map(({ id }) => id);
  const { within } = await placesOfSpans(storage.dialect, (read) => storage.readLong(read, options), scope, ids);
  const rows = await storage.readLong(
    ID.query`select p.span_id as id from span_payload p
      where p.project_id = ${scope.projectId} and ${anyOf('p.span_id', ids)}${within('p')}
      and ${joinSql(payloadConditions(query), ' and ')}`,
    options,
  );
  const maybes = new Set(rows.map(({ id }) => id));
  return { maybes: ids.filter((id) => maybes.has(id)), end: ids.length < size ? undefined : candidates.at(-1) };
}
