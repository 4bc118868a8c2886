import { Injectable } from '@nestjs/common';
import { BackgroundTasks, projectScope } from '@spandrel/kernel';
import { shapeOf, Storage, text, type Reader } from '@spandrel/storage';
import { projectsWithRecords } from '../reading/counted-spans.sql.js';
import { SpanLookups } from '../reading/span-lookups.store.js';
import { SpanStore } from '../span.store.js';
import { TraceStore } from '../trace.store.js';
import { MetadataIndex } from './metadata-index.store.js';

const ID = shapeOf({ id: text() });

/** How often it is looked whether a key is complete, which another server may have done. */
const EVERY_MS = 30_000;
/** Traces or spans looked at in one transaction. */
const SLICE = 500;

/** Gives traces and spans that were there before a key was chosen their values; until then filters look at all of them. */
@Injectable()
export class IndexMetadataTask {
  private readonly reader: Reader;

  constructor(
    private readonly storage: Storage,
    private readonly index: MetadataIndex,
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly lookups: SpanLookups,
    tasks: BackgroundTasks,
  ) {
    this.reader = storage.reads({ patient: true });
    tasks.add({
      everyMs: EVERY_MS,
      firstMs: 0,
      task: (stopped) => this.run(stopped),
      failure: 'metadata could not be indexed; filters look at all traces and spans until they can',
    });
  }

  /** Goes over all that is there where a key is not complete. */
  async run(stopped: AbortSignal): Promise<void> {
    const keys = await this.index.findIncomplete();
    if (keys.length === 0) return;
    for await (const projectId of projectsWithRecords(this.reader)) {
      const scope = projectScope(projectId);
      for (const [list, store] of [
        [(after: string) => this.traceIds(projectId, after), this.traces],
        [(after: string) => this.lookups.listIds(this.reader, projectId, after, SLICE), this.spans],
      ] as const) {
        for (let ids = await list(''); ids.length > 0 && !stopped.aborted; ids = await list(ids.at(-1)!)) {
          await this.storage.write((tx) => store.indexMetadata(tx, scope, ids));
        }
      }
    }
    if (!stopped.aborted) await this.index.setComplete(keys);
  }

  private async traceIds(projectId: string, after: string): Promise<string[]> {
    const rows = await this.reader.all(
      ID.query`select t.id as id from trace t where t.project_id = ${projectId} and t.id > ${after} order by t.id limit ${SLICE}`,
    );
    return rows.map(({ id }) => id);
  }
}
