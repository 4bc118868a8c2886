import { maskDatapoint, maskReviewed, type MaskingCalls } from '@spandrel/masking';
import type { DatapointKind, RestoredResult } from '@spandrel/contract';
import type { ImportBatch } from './items-together.js';

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
  queue_items: masked(batch.queue_items, (item) => ({
    ...item,
    original_data: maskReviewed(masking, item.original_data) as DatapointKind,
    edited_data: maskReviewed(masking, item.edited_data),
  })),
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
