import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, sql, Storage, type Sql, type WriteTx } from '@spandrel/storage';
import { STATUS } from '@spandrel/tracing';

/** Tags of the traces of finished spans by the ids of these; a span that runs or is gone is not among them. */
export type SpanTags = ReadonlyMap<string, readonly string[]>;

/** What is known of a finished span only after its commit. */
@Injectable()
export class CaptureSpanTagsStore {
  constructor(private readonly storage: Storage) {}

  /** @param tx the transaction to read in, if it is to be what holds there. */
  async ofFinished(scope: Scope, spanIds: readonly string[], tx?: WriteTx): Promise<SpanTags> {
    // Two statements by key: without statistics Postgres joins tables of one project by scanning them.
    const read = <Row>(query: Sql): Promise<Row[]> => (tx ? tx.all<Row>(query) : this.storage.read<Row>(query));
    const spans = await read<{ id: string; traceId: string; status: number }>(
      sql`select s.id as id, s.trace_id as "traceId", s.status as status from span s
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', spanIds)}`,
    );
    const traceIds = [...new Set(spans.map(({ traceId }) => traceId))];
    const traces = await read<{ id: string; tags: string }>(
      sql`select t.id as id, t.tags as tags from trace t
        where t.project_id = ${scope.projectId} and ${anyOf('t.id', traceIds)}`,
    );
    const tags = new Map(traces.map((trace) => [trace.id, JSON.parse(trace.tags) as string[]]));
    const finished = spans.filter(({ status }) => status !== STATUS.running);
    return new Map(finished.map(({ id, traceId }) => [id, tags.get(traceId) ?? []]));
  }
}
