import type { ItemBudget } from './item-budget.js';
import { itemsOfProtobuf } from './protobuf-envelope.js';
import { bytes, type ProtobufFields } from './protobuf-fields.js';

/**
 * How many data points each metric of an `ExportMetricsServiceRequest` has; what they say is not read.
 * @throws ExportFault when the bytes are no such message, or hold more items than allowed.
 */
export const pointsOfProtobuf = (body: Buffer, items: ItemBudget): Generator<number, void, undefined> =>
  itemsOfProtobuf(body, items, readMetric);

/** Fields of `Metric` that hold points: gauge, sum, histogram, exponential histogram, summary. */
const DATA: ReadonlySet<number> = new Set([5, 7, 9, 10, 11].map(bytes));

function readMetric(fields: ProtobufFields, items: ItemBudget): number {
  items.take();
  const outer = fields.enter();
  let points = 0;
  while (fields.next()) {
    if (DATA.has(fields.tag)) points += countPoints(fields, items);
    else fields.skip();
  }
  fields.leave(outer);
  return points;
}

function countPoints(fields: ProtobufFields, items: ItemBudget): number {
  const outer = fields.enter();
  let points = 0;
  while (fields.next()) {
    if (fields.tag === bytes(1)) {
      items.take();
      points++;
    }
    fields.skip();
  }
  fields.leave(outer);
  return points;
}
