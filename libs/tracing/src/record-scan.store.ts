import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { IdOrder, rawSql, Storage, type Fetched, type Selection, type Sql } from '@spandrel/storage';
import { ColdTexts } from './reading/cold-texts.js';
import type { StoredSpan } from './span.entity.js';
import { PAYLOAD_SIZE } from './span-partitions.sql.js';
import { PAYLOAD_OF_SPAN } from './span.store.js';
import { SPAN_COLUMNS, TRACE_COLUMNS } from './tables.js';
import type { TraceRow } from './trace.entity.js';

const TRACES = new IdOrder('scan-traces', 't.id', 'asc');
const SPANS = new IdOrder('scan-spans', 's.id', 'asc');

const TRACE_SIZE = rawSql('octet_length(t.metadata) + octet_length(t.tags)');

/** How much one read takes: it is brought to the main thread in one piece, while requests wait. */
export interface ScanSlice {
  rows: number;
  /** About how many bytes of text a slice holds; a larger row comes alone. */
  bytes: number;
}

/** All traces and spans of a project, from the first id to the last: rows that stay are met once, whatever else changes. */
@Injectable()
export class RecordScanStore {
  constructor(
    private readonly storage: Storage,
    private readonly cold: ColdTexts,
  ) {}

  /** Traces behind an id, none at the end, and whether there may be others behind these that were there when they were read. */
  traces(scope: Scope, afterId: string, slice: ScanSlice): Promise<Fetched<TraceRow>> {
    const select = <Row>(columns: Selection<Row>, rest: Sql) =>
      columns.query`select ${columns} from trace t where t.project_id = ${scope.projectId} and ${rest}`;
    const traces = { columns: TRACE_COLUMNS, size: TRACE_SIZE, bytesMax: slice.bytes, select };
    return TRACES.fitting(this.storage, traces, afterId, slice.rows, scope);
  }

  /** Spans behind an id like {@link traces}. @throws TextsUnavailable */
  async spans(scope: Scope, afterId: string, slice: ScanSlice): Promise<Fetched<StoredSpan>> {
    const select = <Row>(columns: Selection<Row>, rest: Sql) =>
      columns.query`select ${columns} from span s
        join span_payload p on ${PAYLOAD_OF_SPAN}
        where s.project_id = ${scope.projectId} and ${rest}`;
    const spans = { columns: SPAN_COLUMNS, size: PAYLOAD_SIZE, bytesMax: slice.bytes, select };
    const some = await SPANS.fitting(this.storage, spans, afterId, slice.rows, scope);
    return { ...some, rows: await this.cold.complete(scope, some.rows) };
  }
}
