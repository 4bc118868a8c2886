import { Injectable } from '@nestjs/common';
import type { DatapointVersionResource } from '@spandrel/contract';
import {
  captureRuleResource,
  CaptureRuleStore,
  CURRENT,
  datapointJson,
  DatapointStore,
  DatapointVersionStore,
  datasetResource,
  DatasetStore,
  type DatapointRow,
} from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { ExportedIds } from './seen-ids.js';
import { SLICE, slicesOf, type Slices } from './export-records.js';

/** Datasets and what belongs to them, as an export has it. */
@Injectable()
export class ExportDatasets {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly versions: DatapointVersionStore,
    private readonly rules: CaptureRuleStore,
  ) {}

  async *allDatasets(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    for await (const datasets of this.slices(scope, options)) {
      for (const { id } of datasets) written.datasets.add(id);
      yield datasets.values().map((dataset) => JSON.stringify(datasetResource(dataset)));
    }
  }

  async *allDatapoints(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    for await (const datasets of this.slices(scope, options)) {
      for (const { id, datapointCount } of datasets) {
        if (datapointCount > 0 && written.datasets.has(id)) yield* this.datapointsOf(scope, id, written, options);
      }
    }
  }

  /** The datapoints that snapshots see: those that changed or went since, then since when those of now are as they are. */
  async *allVersions(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    for await (const datasets of this.slices(scope, options)) {
      for (const { id, pinnedVersion } of datasets) {
        if (pinnedVersion === 0 || !written.datasets.has(id)) continue;
        yield* this.closedOf(scope, id, options);
        yield* this.sinceOf(scope, id, written, options);
      }
    }
  }

  async *allRules(scope: Scope, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) => this.rules.after(scope, after?.id ?? '', SLICE.rows, options);
    for await (const rules of slicesOf(read)) {
      const shown = rules.filter(({ datasetId }) => written.datasets.has(datasetId));
      yield shown.values().map((rule) => JSON.stringify(captureRuleResource(rule)));
    }
  }

  private slices(scope: Scope, options: LongReadOptions) {
    return slicesOf((after?: { id: string }) => this.datasets.after(scope, after?.id ?? '', SLICE.rows, options));
  }

  private async *datapointsOf(scope: Scope, datasetId: string, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: DatapointRow) =>
      this.datapoints.after(scope, datasetId, CURRENT, after?.id ?? '', SLICE.rows, options);
    for await (const rows of slicesOf(read)) {
      for (const { id } of rows) written.datapoints.add(id);
      yield rows.values().map(datapointJson);
    }
  }

  private async *closedOf(scope: Scope, datasetId: string, options: LongReadOptions): Slices {
    const read = (after?: DatapointRow) => this.versions.closedAfter(scope, datasetId, after, SLICE.rows, options);
    for await (const rows of slicesOf(read)) {
      yield rows.values().map((row) =>
        versionJson(
          {
            dataset_id: datasetId,
            datapoint_id: row.id,
            from_version: row.fromVersion,
            to_version: row.toVersion,
          },
          datapointJson(row),
        ),
      );
    }
  }

  private async *sinceOf(scope: Scope, datasetId: string, written: ExportedIds, options: LongReadOptions): Slices {
    const read = (after?: { id: string }) =>
      this.versions.currentAfter(scope, datasetId, after?.id ?? '', SLICE.rows, options);
    for await (const rows of slicesOf(read)) {
      const shown = rows.filter(({ id }) => written.datapoints.has(id));
      yield shown
        .values()
        .map(({ id, version }) =>
          versionJson({ dataset_id: datasetId, datapoint_id: id, from_version: version, to_version: null }, 'null'),
        );
    }
  }
}

const versionJson = (version: Omit<DatapointVersionResource, 'datapoint'>, datapoint: string): string =>
  `${JSON.stringify(version).slice(0, -1)},"datapoint":${datapoint}}`;
