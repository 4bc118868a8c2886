import type { ItemBudget } from './item-budget.js';
import { itemsOfJson } from './json-envelope.js';
import { objectOf, objectsOf, type JsonObject } from './json-shapes.js';

const NAMES = { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' };

/** Members of a metric that hold points. */
const DATA = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/**
 * How many data points each metric of an `ExportMetricsServiceRequest` in OTLP's JSON has; what they say is not read.
 * @throws ExportFault when it has another shape, naming the place, or holds more items than allowed.
 */
export const pointsOfJson = (text: string, items: ItemBudget): Generator<number, void, undefined> =>
  itemsOfJson(text, items, NAMES, (metric, _items, _scope, _resource, place) => countPoints(metric, items, place));

function countPoints(metric: JsonObject, items: ItemBudget, place: string): number {
  items.take();
  let points = 0;
  for (const kind of DATA) {
    const found = objectsOf(objectOf(metric, kind, place), 'dataPoints', `${place}.${kind}`);
    for (let taken = 0; taken < found.length; taken++) items.take();
    points += found.length;
  }
  return points;
}
