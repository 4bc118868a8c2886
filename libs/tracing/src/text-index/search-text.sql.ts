import type { SpanFilters } from '@spandrel/contract';
import { Turn } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  jsonContains,
  joinSql,
  mayContainJson,
  needleInJson,
  orderBy,
  positionShape,
  rawSql,
  shapeOf,
  sql,
  text,
  upTo,
  type Fetched,
  type Part,
  type Position,
  type Sql,
} from '@spandrel/storage';
import { mayHaveValues, tooMuchMetadata, hasValues } from '../metadata/metadata-filter.sql.js';
import { positionColumns, type ListRequest, type SpanForm, type Walk } from '../listing/list-request.sql.js';
import { partitionsOfSpans } from '../span-partitions.sql.js';
import type { StoredSpan } from '../span.entity.js';
import { PAYLOAD_OF_SPAN, type SpanStore } from '../span.store.js';
import { IndexSearch, type CandidatePage, type TextSearch } from './index-search.sql.js';

const ID = shapeOf({ id: text() });

/** Candidates looked at first, for each span that is wanted: a word that most spans have fills a page from them. */
const FIRST_LOOK = 2;
/** The most candidates looked at in one go. */
const PAGE_MAX = 16_000;
/** Found spans loaded in one go, payloads and all. */
const LOADED_AT_ONCE = 50;
/** Found text, in UTF-16 units, at which a page ends before its limit. */
const FOUND_LENGTH = 32 * 1024 * 1024;

/** Spans that are looked at for metadata without an index, for one page. */
const METADATA_SCAN_MAX = 200_000;

/** Whether a list looks for something in payloads. */
export const searchesText = (query: SpanFilters): boolean =>
  query.metadata !== undefined ||
  [query.text_contains, query.input_contains, query.output_contains, query.error_contains].some(
    (needle) => needle !== undefined,
  );

/**
 * Looks through the candidates of a list page by page until enough spans are found; memory stays bounded. The first ones
 * come in list order, since most searches find soon; then the text index says where to look, if it can.
 * @param form what is kept of a found span.
 */
export async function searchText<Row>(
  search: TextSearch,
  spans: SpanStore,
  form: Pick<SpanForm<Row>, 'ofWhole' | 'textLength'>,
  part: Part,
  start: Position | undefined,
  count: number,
): Promise<Fetched<Row>> {
  const { query, limits } = search.list;
  const rows: Row[] = [];
  const turn = new Turn();
  let length = 0;
  let from = start;
  let index = search.found.byStore ? undefined : IndexSearch.of(search, needlesInJson(query), payloadConditions(query));
  for (let looked = 0, size = 0; ; looked += size) {
    size = pageSize(looked, count, limits.searched);
    const indexed = looked >= limits.searched ? await index?.next(part, from) : undefined;
    if (looked >= limits.searched && !indexed) index = undefined;
    const { ids, end } = indexed ?? (await nextInListOrder(search, part, from, size));
    for await (const loaded of load(search.list, spans, ids)) {
      for (const span of loaded) {
        if (turn.isOver()) await turn.next();
        if (!(await matchesText(span, query))) continue;
        const row = form.ofWhole(span);
        rows.push(row);
        length += form.textLength(row);
      }
      if (rows.length >= count) return { rows: rows.slice(0, count) };
      if (length > FOUND_LENGTH) return { rows, cut: true };
    }
    if (!end) return { rows };
    if (query.metadata !== undefined && looked >= METADATA_SCAN_MAX) {
      if (rows.length > 0) return { rows, cut: true };
      throw tooMuchMetadata(query.metadata, `no span among ${looked} has it`);
    }
    from = end;
  }
}

/** How many candidates are looked at next. @param looked how many were. @param count how many spans are wanted. */
function pageSize(looked: number, count: number, searched: number): number {
  if (looked === 0) return Math.max(1, Math.min(FIRST_LOOK * count, searched));
  return looked < searched ? searched - looked : Math.min(looked + Math.max(searched, 1), PAGE_MAX);
}

/** The database cannot say what a text contains that it does not have. */
const IS_COLD = rawSql('p.cold_digest is not null');

/** Conditions on `span_payload p` that every hit meets, and some that are none: {@link matchesText} decides. */
function payloadConditions(query: SpanFilters): Sql {
  const conditions: Sql[] = [];
  const { text_contains: any, input_contains: input, output_contains: output, error_contains: error } = query;
  if (any !== undefined)
    conditions.push(sql`(${mayContainJson('p.input', any)} or ${mayContainJson('p.output', any)} or ${IS_COLD})`);
  if (input !== undefined) conditions.push(sql`(${mayContainJson('p.input', input)} or ${IS_COLD})`);
  if (output !== undefined) conditions.push(sql`(${mayContainJson('p.output', output)} or ${IS_COLD})`);
  if (error !== undefined) conditions.push(mayContainJson('p.error', error));
  if (query.metadata !== undefined) conditions.push(mayHaveValues('p.metadata', query.metadata));
  return joinSql(conditions, ' and ');
}

/** What the texts of every hit contain, as they are stored, without the case of A to Z. */
const needlesInJson = (query: SpanFilters): string[] =>
  [query.text_contains, query.input_contains, query.output_contains, query.error_contains].flatMap((needle) =>
    needle === undefined ? [] : (needleInJson(needle) ?? []),
  );

/** Whether the decoded payload of a span contains what is searched. */
async function matchesText(span: StoredSpan, query: SpanFilters): Promise<boolean> {
  const { text_contains: any, input_contains: input, output_contains: output, error_contains: error } = query;
  if (any !== undefined && !(await jsonContains(span.input, any)) && !(await jsonContains(span.output, any)))
    return false;
  if (input !== undefined && !(await jsonContains(span.input, input))) return false;
  if (output !== undefined && !(await jsonContains(span.output, output))) return false;
  if (query.metadata !== undefined && !hasValues(span.metadata, query.metadata)) return false;
  return error === undefined || jsonContains(span.error, error);
}

/** The next `size` candidates in list order, those of them whose payload may contain the text. */
function nextInListOrder(
  search: TextSearch,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<CandidatePage> {
  const { walk } = search.found;
  // A join is planned without knowing where the page lies: on Postgres it reads all payloads of the partitions.
  return walk && search.list.storage.dialect === 'sqlite'
    ? pageOfWalk(search.list, walk, part, from, size)
    : pageOfCandidates(search, part, from, size);
}

/** Where one statement finds the candidates, another one finds a page's end, so that none of them need be read. */
async function pageOfWalk(
  { query, storage, scope }: ListRequest,
  { where, sorting }: Walk,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<CandidatePage> {
  const order = orderBy(sorting, part);
  const [end] = await storage.readLong(
    positionShape(sorting)
      .query`select ${positionColumns(sorting)} from span s where ${where} and ${behind(sorting, part, from)}
      order by ${order} limit 1 offset ${size - 1}`,
    scope,
  );
  const page = end ? sql`${behind(sorting, part, from)} and ${upTo(sorting, part, end)}` : behind(sorting, part, from);
  const rows = await storage.readLong(
    ID.query`select s.id as id from span s join span_payload p on ${PAYLOAD_OF_SPAN}
      where ${where} and ${page} and ${payloadConditions(query)} order by ${order}`,
    scope,
  );
  return { ids: rows.map(({ id }) => id), end };
}

/** The candidates are read, then their payloads by their keys. */
async function pageOfCandidates(
  { list: { scope, query, storage }, found }: TextSearch,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<CandidatePage> {
  const candidates = await found.candidates(part, from, size);
  const ids = candidates.map(({ id }) => id);
  const { within } = await partitionsOfSpans(storage.dialect, (read) => storage.readLong(read, scope), scope, ids);
  const rows = await storage.readLong(
    ID.query`select p.span_id as id from span_payload p
      where p.project_id = ${scope.projectId} and ${anyOf('p.span_id', ids)}${within('p')}
      and ${payloadConditions(query)}`,
    scope,
  );
  const maybes = new Set(rows.map(({ id }) => id));
  return { ids: ids.filter((id) => maybes.has(id)), end: ids.length < size ? undefined : candidates.at(-1) };
}

/** Whole spans in the order of their ids, a few at a time. */
async function* load({ scope }: ListRequest, spans: SpanStore, ids: readonly string[]): AsyncGenerator<StoredSpan[]> {
  for (let at = 0; at < ids.length;) {
    const wanted = ids.slice(at, at + LOADED_AT_ONCE);
    const loaded = await spans.loadSome(scope, wanted);
    // A span deleted meanwhile is passed over.
    at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    yield loaded;
  }
}
