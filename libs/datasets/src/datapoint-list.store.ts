import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  parseExactJson,
  parseWithSources,
  type DatapointPreview,
  type ListDatapoints,
  type SortOrder,
} from '@spandrel/contract';
import { Turn, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  IdOrder,
  integer,
  joinSql,
  mayContainJson,
  rawSql,
  Selection,
  sql,
  Storage,
  jsonContains,
  type Fetched,
  type LongReadOptions,
  type Page,
  type SizedRows,
  type Sql,
} from '@spandrel/storage';
import { PREVIEWED_BYTES_MAX } from '@spandrel/tracing';
import { datapointPreview, type PreviewedRow, kindTexts } from './datapoint-resource.js';
import { type DatapointRow, SOURCE, datapointTable } from './datapoint.entity.js';
import { DATAPOINT_READ_BYTES, DATAPOINT_SIZE, CURRENT } from './datapoint.store.js';
import { hasMetadata, mayHaveMetadata } from './snapshots/choose-datapoints.js';

const ORDERS: Readonly<Record<SortOrder, IdOrder>> = {
  asc: new IdOrder('datapoints', 'p.id', 'asc'),
  desc: new IdOrder('datapoints:desc', 'p.id', 'desc'),
};

/** Datapoints that a search looks at in one read, at most. */
const SEARCHED_AT_ONCE = 500;

const COLUMNS = datapointTable.select('p');

/** Characters that are read of a text that is cut: the longest preview and what stands before it. */
const CUT_LENGTH = 2_100;

/** A text as far as a preview looks at it. */
const beginning = (column: string): string =>
  `case when octet_length(${column}) <= ${PREVIEWED_BYTES_MAX} then ${column} else substr(${column}, 1, ${CUT_LENGTH}) end`;

const SIZES = new Selection<Pick<PreviewedRow, 'kindBytes' | 'resultBytes'>>(
  { kindBytes: integer(), resultBytes: integer() },
  rawSql('octet_length(p.kind) as "kindBytes", coalesce(octet_length(p.result_output), 0) as "resultBytes"'),
);

const PREVIEWED = new Selection<PreviewedRow>(
  { ...COLUMNS.columns, ...SIZES.columns },
  sql`${datapointTable.select(
    'p',
    datapointTable.properties.filter((name) => name !== 'kind' && name !== 'resultOutput'),
  )},
    ${rawSql(`${beginning('p.kind')} as "kind", ${beginning('p.result_output')} as "resultOutput"`)}, ${SIZES}`,
);

/** Bytes that a preview reads of a row. */
const PREVIEWED_SIZE = joinSql(
  ['p.kind', 'p.result_output'].map((column) =>
    rawSql(
      `case when octet_length(${column}) <= ${PREVIEWED_BYTES_MAX} then octet_length(${column}) else ${CUT_LENGTH} end`,
    ),
  ),
  ' + ',
);

/** `GET /api/datasets/:id/datapoints` (docs/spec/datapoints.md#listing-datapoints). */
@Injectable()
export class DatapointListStore {
  constructor(private readonly storage: Storage) {}

  /** A page of whole datapoints; it ends early when they are large. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, datasetId: string, query: ListDatapoints): Promise<Page<DatapointRow>> {
    const order = ORDERS[query.sort_order];
    const rows = wholeRows(conditionsOf(scope, datasetId, query));
    if (!isSearched(query)) return order.sizedPage(query, this.storage, rows, scope);
    return order.fill(query, (afterId, count) =>
      this.search(order, rows, query, afterId, count, scope, (row) => ({
        item: row,
        bytes: row.kind.length + (row.resultOutput?.length ?? 0),
      })),
    );
  }

  /** A page of previews. @throws Invalid `invalid_cursor`. */
  async listPreviews(scope: Scope, datasetId: string, query: ListDatapoints): Promise<Page<DatapointPreview>> {
    const order = ORDERS[query.sort_order];
    const holds = conditionsOf(scope, datasetId, query);
    const { preview } = query;
    if (!isSearched(query)) {
      const { items, nextCursor } = await order.sizedPage(query, this.storage, previewedRows(holds), scope);
      return { items: items.map((row) => datapointPreview(row, preview)), nextCursor };
    }
    return order.fill(query, (afterId, count) =>
      this.search(order, wholeRows(holds), query, afterId, count, scope, (row) => ({
        item: datapointPreview(sized(row), preview),
        bytes: 3 * preview,
      })),
    );
  }

  /**
   * Datapoints behind an id that contain a text and have metadata, in order: the database narrows them down, their values decide.
   * @param take what is kept of a hit, and how much memory that takes.
   */
  private async search<Item extends { id: string }>(
    order: IdOrder,
    rows: SizedRows<DatapointRow>,
    query: ListDatapoints,
    afterId: string | undefined,
    count: number,
    options: LongReadOptions,
    take: (row: DatapointRow) => { item: Item; bytes: number },
  ): Promise<Fetched<Item>> {
    const found: Item[] = [];
    const turn = new Turn();
    let bytes = 0;
    for (let after = afterId; ;) {
      const read = await order.fitting(this.storage, rows, after, SEARCHED_AT_ONCE, options);
      for (const row of read.rows) {
        if (turn.isOver()) await turn.next();
        if (!(await matches(row, query))) continue;
        const { item, bytes: taken } = take(row);
        found.push(item);
        bytes += taken;
        if (found.length === count || bytes > DATAPOINT_READ_BYTES) return { rows: found, cut: true };
      }
      after = read.rows.at(-1)?.id;
      if (after === undefined || read.cut !== true) return { rows: found };
      await nextTurn();
    }
  }
}

/** What a database cannot decide by itself. */
const isSearched = ({ text_contains: needle, metadata }: ListDatapoints): boolean =>
  needle !== undefined || metadata !== undefined;

/** Whether a value of a kind as it is shown contains a text, but for the score of a run, and its metadata has what is wanted. */
async function matches(row: DatapointRow, { text_contains: needle, metadata }: ListDatapoints): Promise<boolean> {
  const { texts } = kindTexts({ ...row, resultScore: null });
  const said = metadata && parseExactJson(texts.get('metadata') ?? 'null', Infinity, parseWithSources);
  if (metadata && !hasMetadata(said, metadata)) return false;
  if (needle === undefined) return true;
  for (const text of texts.values()) {
    if (await jsonContains(text, needle)) return true;
  }
  return false;
}

const sized = (row: DatapointRow): PreviewedRow => ({
  ...row,
  kindBytes: Buffer.byteLength(row.kind),
  resultBytes: row.resultOutput === null ? 0 : Buffer.byteLength(row.resultOutput),
});

function conditionsOf({ projectId }: Scope, datasetId: string, query: ListDatapoints): Sql {
  const { text_contains: needle, source, ids, metadata } = query;
  const conditions = [
    sql`p.project_id = ${projectId} and p.dataset_id = ${datasetId} and ${CURRENT}`,
    ...mayHaveMetadata(metadata),
  ];
  if (ids !== undefined) conditions.push(anyOf('p.id', ids.filter(isStorableText)));
  if (source !== undefined) conditions.push(sql`p.source = ${SOURCE[source]}`);
  if (needle !== undefined) {
    conditions.push(sql`(${mayContainJson('p.kind', needle)} or ${mayContainJson('p.result_output', needle)})`);
  }
  return joinSql(conditions, ' and ');
}

const rowsOf = <Row>(columns: Selection<Row>, size: Sql, holds: Sql): SizedRows<Row> => ({
  columns,
  size,
  bytesMax: DATAPOINT_READ_BYTES,
  select: (some, rest) => some.query`select ${some} from datapoint p where ${holds} and ${rest}`,
});

const wholeRows = (holds: Sql): SizedRows<DatapointRow> => rowsOf(COLUMNS, DATAPOINT_SIZE, holds);
const previewedRows = (holds: Sql): SizedRows<PreviewedRow> => rowsOf(PREVIEWED, PREVIEWED_SIZE, holds);
