import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import { EXPORT_VERSION, formatTimestamp, isStorableText, type ExportCollection } from '@spandrel/contract';
import { itemTexts, streamSlices } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { exportedTrace, traceNotFound, TraceStore } from '@spandrel/tracing';
import { ExportCollections, oneSlice, type Slices } from './export-collections.js';

/**
 * `GET /api/export/json`: everything of a project as one file that `POST /api/import/json` takes back
 * (docs/spec/transfer.md#consistency-of-an-export).
 */
@Injectable()
export class ExportEverything {
  constructor(
    private readonly traces: TraceStore,
    private readonly collections: ExportCollections,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The whole project, item by item in the order of their ids, read and written slice by slice: bounded memory whatever
   * its size. What is written meanwhile may or may not be in it; an item whose trace or dataset came too late is left out.
   * @throws what reading the first slice throws, before anything is written.
   */
  async execute(scope: Scope): Promise<Readable> {
    const began = Date.now();
    const content = await exportFile(began, this.collections.of(scope, began));
    await this.record(scope, { action: 'project.exported', targetId: scope.projectId });
    return content;
  }

  /** One trace and its spans in start order. @throws NotFound `trace_not_found`. */
  async exportTrace(scope: Scope, id: string): Promise<Readable> {
    const trace = isStorableText(id) ? await this.traces.find(scope, id) : undefined;
    if (!trace) throw traceNotFound();
    const content = await exportFile(Date.now(), {
      traces: oneSlice([exportedTrace(trace)]),
      spans: this.collections.spansOf(scope, id),
      datasets: oneSlice([]),
      datapoints: oneSlice([]),
    });
    await this.record(scope, { action: 'trace.exported', targetId: id, details: { spans: trace.spanCount } });
    return content;
  }

  /** Before anything is sent: who breaks off has had some of it all the same. */
  private record(scope: Scope, act: Pick<AuditedAct, 'action' | 'targetId' | 'details'>): Promise<void> {
    return this.audit.recordAlone(this.storage, { ...scope, ...act });
  }
}

/** The file: an item a line, so that two exports can be compared by line. */
export function exportFile(
  exportedAt: number,
  collections: Partial<Record<ExportCollection, Slices>>,
): Promise<Readable> {
  const head = `{"version":${EXPORT_VERSION},"exported_at":"${formatTimestamp(exportedAt)}"`;
  return streamSlices(texts(collections), { head, between: '', tail: () => '}\n' });
}

async function* texts(collections: Partial<Record<ExportCollection, Slices>>): AsyncGenerator<Iterable<string>> {
  for (const [collection, slices] of Object.entries(collections)) {
    const head = `,\n"${collection}":[`;
    let count = 0;
    for await (const items of slices) yield itemTexts(items, () => (count++ === 0 ? `${head}\n` : ',\n'));
    yield [count === 0 ? `${head}]` : '\n]'];
  }
}
