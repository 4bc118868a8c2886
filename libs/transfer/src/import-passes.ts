import type { ExportCollection } from '@spandrel/contract';

/** Collections by what they belong to: items of one need items of those before it. */
const LEVELS: readonly (readonly ExportCollection[])[] = [
  ['traces', 'datasets', 'connections'],
  ['spans', 'datapoints', 'capture_rules'],
  ['datapoint_versions', 'queue_items'],
  ['eval_runs'],
  ['eval_results', 'eval_samples'],
];

/** What the items of a collection need to be there, directly or by way of others. */
const NEEDS: Readonly<Partial<Record<ExportCollection, readonly ExportCollection[]>>> = {
  spans: ['traces'],
  datapoints: ['datasets'],
  capture_rules: ['datasets'],
  datapoint_versions: ['datasets', 'datapoints'],
  queue_items: ['datasets', 'datapoints'],
  eval_runs: ['datasets', 'datapoints', 'datapoint_versions'],
  eval_results: ['datasets', 'datapoints', 'datapoint_versions', 'eval_runs'],
  eval_samples: ['datasets', 'datapoints', 'datapoint_versions', 'eval_runs'],
};

/**
 * Which collections are read in one go: all, when in the file each comes behind what it needs; else the file is read once
 * for every level.
 * @param order the collections of the file.
 */
export function passes(order: readonly ExportCollection[]): ExportCollection[][] {
  const place = new Map(order.map((collection, index) => [collection, index]));
  const isInOrder = order.every((collection, index) =>
    (NEEDS[collection] ?? []).every((needed) => (place.get(needed) ?? -1) < index),
  );
  if (isInOrder) return [[...order]];
  const levels = LEVELS.map((level) => level.filter((collection) => place.has(collection)));
  return levels.filter((level) => level.length > 0);
}
