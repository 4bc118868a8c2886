import { Injectable } from '@nestjs/common';
import { AlertChannelStore, AlertStore, exportedAlert, exportedAlertChannel } from '@spandrel/alerts';
import { boardResource, commentResource, CommentStore, SavedItemStore, viewResource } from '@spandrel/collaboration';
import { ConnectionStore, exportedConnection } from '@spandrel/connections';
import { withMember, type DatapointVersionResource, type ExportCollection } from '@spandrel/contract';
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
import {
  exportedAttempt,
  exportedResult,
  exportedRun,
  exportedSample,
  evalAttemptTable,
  EvalResultStore,
  evalResultTable,
  EvalRunStore,
  evalSampleTable,
  type EvalResultRow,
  type EvalRunRow,
} from '@spandrel/evals';
import type { Texts } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { queueItemJson, QueueListStore } from '@spandrel/queue';
import type { Table } from '@spandrel/storage';
import { scoreDefinition, ScoreDefinitionStore, scoreResource, ScoreStore, ScoringRulesPort } from '@spandrel/scores';
import { exportedTrace, RecordScanStore, spanTexts, SpanStore, type StoredSpan } from '@spandrel/tracing';
import { SeenIds } from './seen-ids.js';

/** JSON of items, slice by slice, made as they are taken. */
export type Slices = AsyncGenerator<Iterable<Texts>>;

/** One read: a millisecond or two of the event loop, so that requests hardly notice. */
const SLICE = { rows: 128, bytes: 512 * 1024 };

/** Bytes for the ids of what a project has thousands of at most. */
const FEW = 512 * 1024;

@Injectable()
export class ExportCollections {
  constructor(
    private readonly scan: RecordScanStore,
    private readonly spans: SpanStore,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly versions: DatapointVersionStore,
    private readonly rules: CaptureRuleStore,
    private readonly connections: ConnectionStore,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly queue: QueueListStore,
    private readonly definitions: ScoreDefinitionStore,
    private readonly scores: ScoreStore,
    private readonly saved: SavedItemStore,
    private readonly scoringRules: ScoringRulesPort,
    private readonly alertChannels: AlertChannelStore,
    private readonly alerts: AlertStore,
    private readonly comments: CommentStore,
  ) {}

  /**
   * All of a project, each collection in the order of its ids. To be read one after the other in this order: what an item
   * belongs to is written before it, and an item whose trace, dataset or run came too late is left out.
   * @param began when the export began, in ms: it has runs that were made before, whose datapoints it has.
   */
  of(scope: Scope, began: number): Record<ExportCollection, Slices> {
    const written = {
      traces: new SeenIds(),
      datasets: new SeenIds(FEW),
      datapoints: new SeenIds(),
      runs: new SeenIds(FEW),
    };
    const { rows } = SLICE;
    const rowsOf =
      <Row extends Keyed>(store: ByIds<Row>) =>
      (after?: Keyed): Promise<Row[]> =>
        store.after(scope, idOf(after), rows);
    const datasets = () => slicesOf(rowsOf(this.datasets));
    const datapointsOf = (id: string) =>
      shown(
        (after?: Keyed) => this.datapoints.after(scope, id, CURRENT, idOf(after), rows),
        datapointJson,
        (row) => written.datapoints.add(row.id),
      );
    const runs = () => slicesOf((after?: EvalRunRow) => this.runs.after(scope, began, idOf(after), rows));
    const outcomesOf = <Row extends EvalResultRow>(
      table: Table<Row>,
      resource: (row: Row) => string,
      isOf: (run: EvalRunRow) => boolean,
    ) =>
      each(runs(), (run) => {
        const limit = Math.ceil(rows / run.repeats);
        const read = (after?: Row) => this.results.after(scope, table, run.id, after, limit);
        return isOf(run) && written.runs.has(run.id) ? [shown(read, resource)] : [];
      });
    return {
      traces: shown(
        async (after?: Keyed) => (await this.scan.traces(scope, idOf(after), SLICE)).rows,
        exportedTrace,
        ({ id }) => written.traces.add(id),
      ),
      spans: shown(
        async (after?: Keyed) => (await this.scan.spans(scope, idOf(after), SLICE)).rows,
        spanTexts,
        ({ traceId }) => written.traces.has(traceId),
      ),
      datasets: shown(rowsOf(this.datasets), json(datasetResource), ({ id }) => written.datasets.add(id)),
      datapoints: each(datasets(), ({ id, datapointCount }) =>
        datapointCount > 0 && written.datasets.has(id) ? [datapointsOf(id)] : [],
      ),
      datapoint_versions: each(datasets(), ({ id, pinnedVersion }) =>
        pinnedVersion > 0 && written.datasets.has(id) ? this.versionsOf(scope, id, written.datapoints) : [],
      ),
      capture_rules: shown(rowsOf(this.rules), json(captureRuleResource), ({ datasetId }) =>
        written.datasets.has(datasetId),
      ),
      connections: shown(rowsOf(this.connections), json(exportedConnection)),
      eval_runs: shown(
        (after?: Keyed) => this.runs.after(scope, began, idOf(after), rows),
        json(exportedRun),
        ({ id, datasetId }) => written.datasets.has(datasetId) && written.runs.add(id),
      ),
      eval_results: outcomesOf(evalResultTable, exportedResult, () => true),
      eval_samples: outcomesOf(evalSampleTable, exportedSample, ({ repeats }) => repeats > 1),
      eval_attempts: outcomesOf(evalAttemptTable, exportedAttempt, ({ retriedSamples }) => retriedSamples > 0),
      queue_items: shown(
        rowsOf(this.queue),
        (item) => queueItemJson(item),
        ({ datapointId, traceId, sessionId }) =>
          sessionId !== null || (traceId === null ? written.datapoints.has(datapointId) : written.traces.has(traceId)),
      ),
      score_definitions: shown(rowsOf(this.definitions), json(scoreDefinition)),
      scores: shown(
        rowsOf(this.scores),
        json(scoreResource),
        ({ traceId }) => traceId === null || written.traces.has(traceId),
      ),
      views: shown((after?: Keyed) => this.saved.after(scope, 'view', idOf(after), rows), json(viewResource)),
      boards: shown((after?: Keyed) => this.saved.after(scope, 'board', idOf(after), rows), json(boardResource)),
      scoring_rules: shown(
        async (after?: Keyed) => this.scoringRules.rules?.exportAfter(scope, idOf(after), rows) ?? [],
        (rule) => JSON.stringify(rule),
      ),
      alert_channels: shown(rowsOf(this.alertChannels), json(exportedAlertChannel)),
      alerts: shown(rowsOf(this.alerts), json(exportedAlert)),
      comments: shown(
        rowsOf(this.comments),
        json(commentResource),
        ({ targetType, parentId }) => targetType > 1 || written.traces.has(parentId),
      ),
    };
  }

  spansOf(scope: Scope, traceId: string, show: (span: StoredSpan) => Texts = spanTexts): Slices {
    return shown(
      (after?: { startedAt: number; id: string }) =>
        this.spans.ofTrace(scope, traceId, after && { value: after.startedAt, id: after.id }, SLICE.rows),
      show,
    );
  }

  /** The datapoints that snapshots see: those that changed or went since, then since when those of now are as they are. */
  private versionsOf(scope: Scope, datasetId: string, written: SeenIds): Slices[] {
    const { rows } = SLICE;
    return [
      shown(
        (after?: DatapointRow) => this.versions.closedAfter(scope, datasetId, after, rows),
        (row) => {
          const { id, fromVersion, toVersion } = row;
          return versionJson(
            { dataset_id: datasetId, datapoint_id: id, from_version: fromVersion, to_version: toVersion },
            datapointJson(row),
          );
        },
      ),
      shown(
        (after?: Keyed) => this.versions.currentAfter(scope, datasetId, idOf(after), rows),
        ({ id, version }) =>
          versionJson({ dataset_id: datasetId, datapoint_id: id, from_version: version, to_version: null }, 'null'),
        ({ id }) => written.has(id),
      ),
    ];
  }
}

export async function* oneSlice(items: readonly string[]): Slices {
  yield items;
}

interface Keyed {
  id: string;
}

/** Rows of a project behind an id, in the order of their ids. */
interface ByIds<Row> {
  after(scope: Scope, afterId: string, limit: number): Promise<Row[]>;
}

const idOf = (after: Keyed | undefined): string => after?.id ?? '';

const json =
  <Row>(resource: (row: Row) => unknown) =>
  (row: Row): string =>
    JSON.stringify(resource(row));

const versionJson = (version: Omit<DatapointVersionResource, 'datapoint'>, datapoint: string): string =>
  withMember(JSON.stringify(version), 'datapoint', datapoint);

type ReadAfter<Row> = (after: Row | undefined) => Promise<readonly Row[]>;

async function* slicesOf<Row>(read: ReadAfter<Row>): AsyncGenerator<readonly Row[]> {
  for (let after: Row | undefined; ;) {
    const rows = await read(after);
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1);
  }
}

/** Rows as the file has them. @param isWanted asked of each row in order. */
async function* shown<Row>(
  read: ReadAfter<Row>,
  show: (row: Row) => Texts,
  isWanted: (row: Row) => boolean = () => true,
): Slices {
  for await (const rows of slicesOf(read)) yield rows.filter(isWanted).values().map(show);
}

async function* each<Row>(slices: AsyncGenerator<readonly Row[]>, of: (row: Row) => Slices[]): Slices {
  for await (const rows of slices) for (const row of rows) for (const part of of(row)) yield* part;
}
