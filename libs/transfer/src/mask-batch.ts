import { maskDatapoint, maskReviewed, type Masking } from '@spandrel/masking';
import type { DatapointKind } from '@spandrel/contract';
import type { ImportBatch } from './items-together.js';
import type { ImportItems } from './import-items.js';

/**
 * A batch with the texts of datapoints, results and queue items masked, as the rules of the project are now; those of traces
 * and spans are masked where all of them are written.
 */
export const maskBatch = (masking: Masking, batch: ImportBatch): ImportBatch => ({
  ...batch,
  datapoints: masked(batch.datapoints, (item) => ({ ...item, kind: maskDatapoint(masking, item.kind) })),
  datapoint_versions: masked(batch.datapoint_versions, (item) => {
    const { datapoint } = item;
    return datapoint ? { ...item, datapoint: { ...datapoint, kind: maskDatapoint(masking, datapoint.kind) } } : item;
  }),
  eval_results: masked(batch.eval_results, (item) => maskResult(masking, item)),
  queue_items: masked(batch.queue_items, (item) => ({
    ...item,
    original_data: maskReviewed(masking, item.original_data) as DatapointKind,
    edited_data: maskReviewed(masking, item.edited_data),
  })),
});

const masked = <Item>(items: { index: number; item: Item }[], mask: (item: Item) => Item) =>
  items.map(({ index, item }) => ({ index, item: mask(item) }));

const maskResult = (masking: Masking, item: ImportItems['eval_results']): ImportItems['eval_results'] => ({
  ...item,
  output: masking.text(item.output, 'output'),
  score_reason: masking.text(item.score_reason, 'output'),
  error: masking.text(item.error, 'error'),
});
