import type { SpanFilters } from '@spandrel/contract';
import { Turn } from '@spandrel/kernel';
import {
  anyOf,
  jsonContains,
  joinSql,
  mayContainJson,
  needleInJson,
  rawSql,
  shapeOf,
  sql,
  text,
  type Fetched,
  type Part,
  type Position,
  type Query,
  type Sql,
} from '@spandrel/storage';
import { mayHaveValues, tooMuchMetadata, hasValues } from '../metadata/metadata-filter.sql.js';
import type { ListRequest, SpanForm } from '../listing/list-request.sql.js';
import { partitionsOfSpans } from '../span-partitions.sql.js';
import type { StoredSpan } from '../span.entity.js';
import type { SpanStore } from '../span.store.js';
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

/** What is looked for in payloads, and in which of their texts. */
const SOUGHT = [
  ['text_contains', ['input', 'output']],
  ['input_contains', ['input']],
  ['output_contains', ['output']],
  ['error_contains', ['error']],
] as const;
type TextColumn = (typeof SOUGHT)[number][1][number];

const soughtBy = (query: SpanFilters): { needle: string; columns: readonly TextColumn[] }[] =>
  SOUGHT.flatMap(([filter, columns]) => {
    const needle = query[filter];
    return needle === undefined ? [] : { needle, columns };
  });

/** Whether a list looks for something in payloads. */
export const searchesText = (query: SpanFilters): boolean => query.metadata !== undefined || soughtBy(query).length > 0;

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
  const conditions = soughtBy(query).map(({ needle, columns }) => {
    const may = columns.map((column) => mayContainJson(`p.${column}`, needle));
    return sql`(${joinSql(columns[0] === 'error' ? may : [...may, IS_COLD], ' or ')})`;
  });
  if (query.metadata !== undefined) conditions.push(mayHaveValues('p.metadata', query.metadata));
  return joinSql(conditions, ' and ');
}

/** What the texts of every hit contain, as they are stored, without the case of A to Z. */
const needlesInJson = (query: SpanFilters): string[] =>
  soughtBy(query).flatMap(({ needle }) => needleInJson(needle) ?? []);

/** Whether the decoded payload of a span contains what is searched. */
async function matchesText(span: StoredSpan, query: SpanFilters): Promise<boolean> {
  for (const { needle, columns } of soughtBy(query)) {
    if (!(await someContains(span, columns, needle))) return false;
  }
  return query.metadata === undefined || hasValues(span.metadata, query.metadata);
}

async function someContains(span: StoredSpan, columns: readonly TextColumn[], needle: string): Promise<boolean> {
  for (const column of columns) if (await jsonContains(span[column], needle)) return true;
  return false;
}

/** The next `size` candidates in list order, those of them whose payload may contain the text. */
async function nextInListOrder(
  { list: { scope, query, storage }, found }: TextSearch,
  part: Part,
  from: Position | undefined,
  size: number,
): Promise<CandidatePage> {
  // Two statements: a join is planned without knowing where the page lies, on Postgres it reads all payloads of the partitions.
  const candidates = await found.candidates(part, from, size);
  const ids = candidates.map(({ id }) => id);
  const reader = { dialect: storage.dialect, all: <Row>(read: Query<Row>) => storage.readLong(read, scope) };
  const { within } = await partitionsOfSpans(reader, scope, ids);
  const rows = await reader.all(
    ID.query`select p.span_id as id from span_payload p
      where p.project_id = ${scope.projectId} and ${anyOf('p.span_id', ids)}${within('p')}
      and ${payloadConditions(query)}`,
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
