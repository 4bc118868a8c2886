export { addCost, costOf, modelsOf, subtractCost, toCostSum, type CostSum } from './write/trace-rollup.js';
export {
  countedSpans,
  countTraces,
  projectsWithRecords,
  keysOfTraces,
  scoresInRange,
  spansInRange,
  sumSpans,
  tracesInRange,
  tracesWith,
  isNarrow,
  type CountedSpan,
  type TraceFilters,
  type TraceKey,
} from './reading/counted-spans.sql.js';
export { BoundedScan } from './reading/bounded-scan.js';
export {
  ReadStoreAway,
  ReadStorePort,
  type SpanTexts,
  type StoredList,
  type StoredSpanList,
  type StoredSpans,
  type StoredSpanSums,
  type StoredSumQuery,
} from './reading/read-store-port.js';
export type { SpanQuery } from './listing/span-filter.sql.js';
export {
  inStarts,
  ScoresPort,
  type IngestedScores,
  type ScoredOrder,
  type ScoredPage,
  type ScoredTargets,
  type ScoreTarget,
  type ScoresOfRecords,
} from './reading/scores-port.js';
export { SpanListStore } from './listing/span-list.store.js';
export { SpanLookups } from './reading/span-lookups.store.js';
export { TraceLookups, type GoneIds, type TraceFacts } from './reading/trace-lookups.store.js';
export { ColdPayloads, type MayGo } from './retention/cold-payloads.store.js';
export { ExpireSpans, type Expired } from './retention/expire-spans.js';
export { costOfSpan, costSource, usageOfKind } from './pricing/cost-of-span.js';
export { costParts, type CallCost, type PricedUsage } from './pricing/cost-parts.js';
export { CurrentPrices } from './pricing/current-prices.js';
export { readPrices } from './pricing/price-file.js';
export {
  estimateCost,
  findPrice,
  loadPricing,
  PRICING,
  type PriceTable,
  type PricingTable,
} from './pricing/pricing.js';
export { firstCodePoints, previewOfInput, previewOfOutput, PREVIEWED_BYTES_MAX } from './outline/preview-text.js';
export { FindTalks } from './outline/find-talks.js';
export { SpanOutlineStore } from './outline/span-outline.store.js';
export { spanOutline } from './outline/span-outline.js';
export { largeRequestHash } from './write/request-hash.js';
export { Ingest } from './ingest.controller.js';
export { restoredSpanSchema } from './write/apply-ingest.js';
export { RecordSpans, RestoreRecords } from './write/record-spans.js';
export type { Indexed, SpanAmendment, SpanRecord } from './write/tracing-job.js';
export { exportedTrace, NAME_RANK } from './write/trace-row.js';
export type { Ranked, TraceAttributes } from './write/merge-trace-attributes.js';
export { ReadTrace } from './read-trace.js';
export { RecordScanStore } from './record-scan.store.js';
export { RetentionTask } from './retention/retention-task.js';
export {
  SpanCommitParticipants,
  type LeavingSpans,
  type SpanChange,
  type SpanCommitParticipant,
  type TracingChange,
} from './write/span-commit-participant.js';
export { STATUS, statusName, type StoredSpan } from './span.entity.js';
export { spanTexts, spanTextsWith } from './span-json.js';
export { SpanStore } from './span.store.js';
export { spanNotFound, traceNotFound } from './write/apply-job.js';
export { lengthOfTrace, type TraceRow } from './trace.entity.js';
export { traceListItem, traceResource } from './trace-resource.js';
export { TraceStore } from './trace.store.js';
export { isUnpriced, isUnpricedUse } from './pricing/pricing.js';
export { TracingSettings } from './tracing.settings.js';
export { tracingFeature, TracingModule } from './tracing.module.js';
export { aliasOf } from './write/span-alias.js';
