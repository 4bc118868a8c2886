import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, atStarts, sql, Storage, type Sql, type WriteTx } from '@spandrel/storage';
import { STATUS } from '@spandrel/tracing';

/** Tags of the traces of finished spans by the ids of these; a span that runs or is gone is not among them. */
export type SpanTags = ReadonlyMap<string, readonly string[]>;

type Read = <Row>(query: Sql) => Promise<Row[]>;

/** What is known of a finished span only after its commit. */
@Injectable()
export class CaptureSpanTagsStore {
  constructor(private readonly storage: Storage) {}

  /** @param tx the transaction to read in, if it is to be what holds there. */
  async ofFinished(scope: Scope, spanIds: readonly string[], tx?: WriteTx): Promise<SpanTags> {
    // Two statements by key: without statistics Postgres joins tables of one project by scanning them.
    const read: Read = <Row>(query: Sql): Promise<Row[]> => (tx ? tx.all<Row>(query) : this.storage.read<Row>(query));
    const starts = await this.startsOf(scope, spanIds, read);
    const spans = await read<{ id: string; traceId: string; status: number }>(
      sql`select s.id as id, s.trace_id as "traceId", s.status as status from span s
        where s.project_id = ${scope.projectId} and ${anyOf('s.id', spanIds)}${atStarts('s.started_at', starts)}`,
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

  /** When the spans started: on Postgres that says in which partitions they are. */
  private async startsOf({ projectId }: Scope, spanIds: readonly string[], read: Read): Promise<number[]> {
    if (this.storage.dialect === 'sqlite') return [];
    const keys = await read<{ startedAt: number }>(
      sql`select k.started_at as "startedAt" from span_key k
        where k.project_id = ${projectId} and ${anyOf('k.id', spanIds)}`,
    );
    return keys.map(({ startedAt }) => startedAt);
  }
}
