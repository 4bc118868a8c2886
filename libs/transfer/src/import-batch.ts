import { Injectable } from '@nestjs/common';
import {
  type ExportCollection,
  type RejectedItem,
  EXPORT_COLLECTIONS,
  type DatapointKind,
  type RestoredResult,
  type RestoredScoringRule,
  type ImportJsonResult,
} from '@spandrel/contract';
import { AlertChannelStore, AlertStore } from '@spandrel/alerts';
import { CommentStore, SavedItemStore } from '@spandrel/collaboration';
import { RestoreConnections } from '@spandrel/connections';
import { RestoreCaptureRules, RestoreDatapointVersions, RestoreDatasets, type OpenVersion } from '@spandrel/datasets';
import { RestoreRuns } from '@spandrel/evals';
import type { Scope } from '@spandrel/kernel';
import {
  ProjectMasking,
  maskAnswers,
  maskDatapoint,
  maskKey,
  maskReviewed,
  maskScore,
  type MaskingCalls,
} from '@spandrel/masking';
import { RestoreQueueItems } from '@spandrel/queue';
import { ScoreDefinitionStore, ScoringRulesPort, WriteScores } from '@spandrel/scores';
import { RestoreRecords, type Indexed } from '@spandrel/tracing';
import type { ImportItems } from './import-items.js';
import { SeenIds } from './seen-ids.js';

const REJECTED_LISTED_MAX = 1_000;
/** Bytes for the ids of what a project has thousands of at most. */
const FEW = 512 * 1024;

export class ImportProgress {
  readonly result: ImportJsonResult = {
    imported: Object.fromEntries(EXPORT_COLLECTIONS.map((collection) => [collection, 0])) as Record<
      ExportCollection,
      number
    >,
    rejected: [],
    rejected_count: 0,
  };
  open: OpenVersion | undefined;
  /** Datasets that have another history here than in the file. */
  readonly otherDatasets = new SeenIds(FEW);
  readonly takenRuns = new SeenIds(FEW);

  /** @param exportedAt of the file, in ms; `undefined` when it does not say. */
  constructor(readonly exportedAt: number | undefined) {}

  reject(item: ImportJsonResult['rejected'][number]): void {
    this.result.rejected_count++;
    if (this.result.rejected.length < REJECTED_LISTED_MAX) this.result.rejected.push(item);
  }

  toString(): string {
    const counts = EXPORT_COLLECTIONS.map((collection) => [this.result.imported[collection], collection] as const);
    const words = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name.replace('_', ' ')}`);
    return words.length === 0 ? 'nothing' : words.join(', ');
  }
}

export type ImportBatch = { [Collection in ExportCollection]: Indexed<ImportItems[Collection]>[] };

export const emptyBatch = (): ImportBatch =>
  Object.fromEntries(EXPORT_COLLECTIONS.map((collection) => [collection, []])) as unknown as ImportBatch;

/** Writes items of an import: what others belong to first, each kind in a transaction of its own. */
@Injectable()
export class WriteImportBatch {
  constructor(
    private readonly records: RestoreRecords,
    private readonly datasets: RestoreDatasets,
    private readonly versions: RestoreDatapointVersions,
    private readonly rules: RestoreCaptureRules,
    private readonly connections: RestoreConnections,
    private readonly runs: RestoreRuns,
    private readonly queue: RestoreQueueItems,
    private readonly definitions: ScoreDefinitionStore,
    private readonly scores: WriteScores,
    private readonly saved: SavedItemStore,
    private readonly scoringRules: ScoringRulesPort,
    private readonly alertChannels: AlertChannelStore,
    private readonly alerts: AlertStore,
    private readonly comments: CommentStore,
    private readonly masking: ProjectMasking,
  ) {}

  /** @throws Unavailable when the database is lost. */
  async execute(scope: Scope, given: ImportBatch, progress: ImportProgress): Promise<void> {
    const masking = await this.masking.of(scope);
    const batch = masking ? await masking.run((calls) => maskBatch(calls, given)) : given;
    await this.writeRecords(scope, batch, progress);
    await write(batch, 'datasets', progress, async (items) => {
      await this.datasets.restoreDatasets(scope, items);
      return [];
    });
    await write(batch, 'datapoints', progress, async (items) => {
      const { rejected, open } = await this.datasets.restoreDatapoints(scope, items, progress.open);
      progress.open = open;
      const message = 'there is no dataset with this dataset_id';
      return rejected.map((item) => ({ item, code: 'dataset_not_found', message }));
    });
    await write(batch, 'datapoint_versions', progress, async (items) => {
      const rejected = await this.versions.execute(scope, items);
      for (const { item } of rejected) progress.otherDatasets.add(item.dataset_id);
      return rejected;
    });
    await write(batch, 'capture_rules', progress, (items) => this.rules.execute(scope, items));
    await write(batch, 'connections', progress, (items) => this.connections.execute(scope, items));
    await this.writeRuns(scope, batch, progress);
    await write(batch, 'queue_items', progress, (items) => this.queue.execute(scope, items));
    await write(batch, 'score_definitions', progress, (items) => this.definitions.restore(scope, items));
    await write(batch, 'scores', progress, (items) => this.scores.restore(scope, items));
    await write(batch, 'views', progress, (items) => this.saved.restore(scope, 'view', items));
    await write(batch, 'boards', progress, (items) => this.saved.restore(scope, 'board', items));
    await write(batch, 'scoring_rules', progress, (items) => this.restoreRules(scope, items));
    await write(batch, 'alert_channels', progress, (items) => this.alertChannels.restore(scope, items));
    await write(batch, 'alerts', progress, (items) => this.alerts.restore(scope, items));
    await write(batch, 'comments', progress, (items) => this.comments.restore(scope, items));
  }

  private async restoreRules(scope: Scope, items: RestoredScoringRule[]): Promise<RejectedItem<RestoredScoringRule>[]> {
    const message = 'this server has no scoring rules; see features in its configuration';
    return (
      this.scoringRules.rules?.restore(scope, items) ??
      items.map((item) => ({ item, code: 'scoring_rule_not_found', message }))
    );
  }

  private async writeRecords(scope: Scope, batch: ImportBatch, progress: ImportProgress): Promise<void> {
    if (batch.traces.length + batch.spans.length === 0) return;
    const { accepted, rejected } = await this.records.execute(scope, batch.traces, batch.spans);
    progress.result.imported.traces += accepted.traces;
    progress.result.imported.spans += accepted.spans;
    for (const { collection, index, code, message } of rejected) progress.reject({ collection, index, code, message });
  }

  private async writeRuns(scope: Scope, batch: ImportBatch, progress: ImportProgress): Promise<void> {
    const { exportedAt, otherDatasets, takenRuns } = progress;
    await write(batch, 'eval_runs', progress, async (items) => {
      const isOther = (datasetId: string): boolean => otherDatasets.has(datasetId);
      const rejected = await this.runs.restoreRuns(scope, items, { exportedAt, isOther });
      const left = new Set(rejected.map(({ item }) => item));
      for (const item of items) if (!left.has(item)) takenRuns.add(item.id);
      return rejected;
    });
    const isTaken = (runId: string): boolean => takenRuns.has(runId);
    await write(batch, 'eval_results', progress, (items) => this.runs.restoreResults(scope, items, isTaken));
    await write(batch, 'eval_samples', progress, (items) => this.runs.restoreSamples(scope, items, isTaken));
    await write(batch, 'eval_attempts', progress, (items) => this.runs.restoreAttempts(scope, items, isTaken));
  }
}

async function write<Collection extends ExportCollection>(
  batch: ImportBatch,
  collection: Collection,
  progress: ImportProgress,
  restore: (items: ImportItems[Collection][]) => Promise<RejectedItem<ImportItems[Collection]>[]>,
): Promise<void> {
  const indexed = batch[collection];
  if (indexed.length === 0) return;
  const rejected = await restore(indexed.map(({ item }) => item));
  const indexOf = new Map(indexed.map(({ index, item }) => [item, index]));
  for (const { item, code, message } of rejected) {
    progress.reject({ collection, index: indexOf.get(item)!, code, message });
  }
  progress.result.imported[collection] += indexed.length - rejected.length;
}

/**
 * A batch with the texts of datapoints, results, samples and queue items masked, as the rules of the project are now; those of traces
 * and spans are masked where all of them are written.
 */
export const maskBatch = (masking: MaskingCalls, batch: ImportBatch): ImportBatch => ({
  ...batch,
  datapoints: masked(batch.datapoints, (item) => ({ ...item, kind: maskDatapoint(masking, item.kind) })),
  datapoint_versions: masked(batch.datapoint_versions, (item) => {
    const { datapoint } = item;
    return datapoint ? { ...item, datapoint: { ...datapoint, kind: maskDatapoint(masking, datapoint.kind) } } : item;
  }),
  eval_results: masked(batch.eval_results, (item) => maskResult(masking, item)),
  eval_samples: masked(batch.eval_samples, (item) => maskResult(masking, item)),
  eval_attempts: masked(batch.eval_attempts, (item) => maskResult(masking, item)),
  queue_items: masked(batch.queue_items, (item) => ({
    ...maskAnswers(masking, item),
    session_id: item.session_id && maskKey(masking, item.session_id),
    original_data: maskReviewed(masking, item.original_data) as DatapointKind,
    edited_data: maskReviewed(masking, item.edited_data),
  })),
  scores: masked(batch.scores, (item) => maskScore(masking, item)),
});

const masked = <Item>(items: { index: number; item: Item }[], mask: (item: Item) => Item) =>
  items.map(({ index, item }) => ({ index, item: mask(item) }));

const maskResult = <Result extends RestoredResult>(masking: MaskingCalls, item: Result): Result => ({
  ...item,
  output: masking.text(item.output, 'output'),
  score_reason: masking.text(item.score_reason, 'output'),
  scores: maskScores(masking, item.scores),
  error: masking.text(item.error, 'error'),
  metadata: masking.json(item.metadata, 'metadata'),
});

function maskScores(masking: MaskingCalls, scores: RestoredResult['scores']): RestoredResult['scores'] {
  if (scores === null) return null;
  const masked = Object.entries(scores).map(([name, said]) => {
    const { reason, error } = said;
    return [name, { ...said, reason: masking.text(reason, 'output'), error: masking.text(error, 'error') }];
  });
  return Object.fromEntries(masked) as RestoredResult['scores'];
}
