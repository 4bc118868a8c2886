import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { EXPORT_VERSION, formatTimestamp, isStorableText, type ExportCollection } from '@spandrel/contract';
import { CURRENT, datapointResource, DatapointStore, datasetResource, DatasetStore } from '@spandrel/datasets';
import { streamSlices, type Scope } from '@spandrel/kernel';
import type { LongReadOptions, Position } from '@spandrel/storage';
import {
  RecordScanStore,
  spanJson,
  SpanStore,
  traceNotFound,
  traceResource,
  TraceStore,
  type TraceRow,
} from '@spandrel/tracing';
import { SeenIds } from './seen-ids.js';

/** One read: a millisecond or two of the event loop, so that requests hardly notice. */
const SLICE = { rows: 128, bytes: 512 * 1024 };
/** Datapoints written before the event loop turns: their JSON is parsed and made anew. */
const DATAPOINTS_AT_ONCE = 64;

/** JSON of items, slice by slice. */
type Slices = AsyncGenerator<readonly string[]>;

/**
 * `GET /api/export/json`: everything of a project as one file that `POST /api/import/json` takes back
 * (docs/spec/transfer.md#consistency-of-an-export).
 */
@Injectable()
export class ExportEverything {
  constructor(
    private readonly scan: RecordScanStore,
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
  ) {}

  /**
   * The whole project, item by item in the order of their ids, read and written slice by slice: bounded memory whatever
   * its size. What is written meanwhile may or may not be in it; an item whose trace or dataset came too late is left out.
   * @throws what reading the first slice throws, before anything is written.
   */
  execute(scope: Scope, options: LongReadOptions): Promise<Readable> {
    const traces = new SeenIds();
    const datasets = new SeenIds();
    return file({
      traces: this.allTraces(scope, traces, options),
      spans: this.allSpans(scope, traces, options),
      datasets: this.allDatasets(scope, datasets, options),
      datapoints: this.allDatapoints(scope, datasets, options),
    });
  }

  /** One trace and its spans in start order. @throws NotFound `trace_not_found`. */
  async exportTrace(scope: Scope, id: string, options: LongReadOptions): Promise<Readable> {
    const trace = isStorableText(id) ? await this.traces.find(scope, id) : undefined;
    if (!trace) throw traceNotFound();
    return file({
      traces: oneSlice([traceJson(trace)]),
      spans: this.spansOf(scope, id, options),
      datasets: oneSlice([]),
      datapoints: oneSlice([]),
    });
  }

  private async *allTraces(scope: Scope, seen: SeenIds, options: LongReadOptions): Slices {
    for (let afterId = ''; ;) {
      const traces = await this.scan.traces(scope, afterId, SLICE, options);
      if (traces.length === 0) return;
      for (const { id } of traces) seen.add(id);
      afterId = traces.at(-1)!.id;
      yield traces.map(traceJson);
    }
  }

  private async *allSpans(scope: Scope, traces: SeenIds, options: LongReadOptions): Slices {
    for (let afterId = ''; ;) {
      const spans = await this.scan.spans(scope, afterId, SLICE, options);
      if (spans.length === 0) return;
      afterId = spans.at(-1)!.id;
      yield spans.filter(({ traceId }) => traces.has(traceId)).map(spanJson);
    }
  }

  private async *spansOf(scope: Scope, traceId: string, options: LongReadOptions): Slices {
    for (let from: Position | undefined; ;) {
      const spans = await this.spans.ofTrace(scope, traceId, from, SLICE.rows, options);
      const end = spans.at(-1);
      if (!end) return;
      yield spans.map(spanJson);
      from = { value: end.startedAt, id: end.id };
    }
  }

  private async *allDatasets(scope: Scope, seen: SeenIds, options: LongReadOptions): Slices {
    for (let afterId = ''; ;) {
      const datasets = await this.datasets.after(scope, afterId, SLICE.rows, options);
      if (datasets.length === 0) return;
      for (const { id } of datasets) seen.add(id);
      afterId = datasets.at(-1)!.id;
      yield datasets.map((dataset) => JSON.stringify(datasetResource(dataset)));
    }
  }

  private async *allDatapoints(scope: Scope, seen: SeenIds, options: LongReadOptions): Slices {
    for (let afterId = ''; ;) {
      const datasets = await this.datasets.after(scope, afterId, SLICE.rows, options);
      if (datasets.length === 0) return;
      for (const { id, datapointCount } of datasets) {
        if (datapointCount > 0 && seen.has(id)) yield* this.datapointsOf(scope, id, options);
        afterId = id;
      }
    }
  }

  private async *datapointsOf(scope: Scope, datasetId: string, options: LongReadOptions): Slices {
    for (let afterId = ''; ;) {
      const rows = await this.datapoints.after(scope, datasetId, CURRENT, afterId, SLICE.rows, options);
      const end = rows.at(-1);
      if (!end) return;
      for (let start = 0; start < rows.length; start += DATAPOINTS_AT_ONCE) {
        yield rows.slice(start, start + DATAPOINTS_AT_ONCE).map((row) => JSON.stringify(datapointResource(row)));
        await nextTurn();
      }
      afterId = end.id;
    }
  }
}

const traceJson = (trace: TraceRow): string => JSON.stringify(traceResource(trace));

async function* oneSlice(items: readonly string[]): Slices {
  yield items;
}

/** The file: an item a line, so that two exports can be compared by line. */
function file(collections: Record<ExportCollection, Slices>): Promise<Readable> {
  const head = `{"version":${EXPORT_VERSION},"exported_at":"${formatTimestamp(Date.now())}"`;
  return streamSlices(texts(collections), { head, between: '', tail: () => '}\n' });
}

async function* texts(collections: Record<ExportCollection, Slices>): AsyncGenerator<string> {
  for (const [collection, slices] of Object.entries(collections)) {
    let lead = `,\n"${collection}":[\n`;
    let count = 0;
    for await (const items of slices) {
      if (items.length === 0) continue;
      yield lead + items.join(',\n');
      lead = ',\n';
      count += items.length;
    }
    yield count === 0 ? `,\n"${collection}":[]` : '\n]';
  }
}
