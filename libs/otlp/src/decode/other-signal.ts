import { ExportFault, ItemBudget } from './item-budget.js';
import { logsOfProtobuf, pointsOfProtobuf } from './read-protobuf.js';

/** Items that are looked at: an export is of one signal. */
const ITEMS_LOOKED_AT = 1_000;

/**
 * Which signal's export a body is that was sent for spans although not one span of it can be kept. The signals wrap their
 * items in one way, so that all are read as spans of a kind.
 * @returns `undefined` where it is none of the others either.
 */
export function otherSignal(body: Buffer, itemsMax: number): 'logs' | 'metrics' | undefined {
  // Spans have a text where records have their time.
  if (some(logsOfProtobuf(body, new ItemBudget(itemsMax)), ({ timeUnixNano }) => timeUnixNano > 0n)) return 'logs';
  return some(pointsOfProtobuf(body, new ItemBudget(itemsMax)), (points) => points > 0) ? 'metrics' : undefined;
}

function some<Item>(items: Iterable<Item>, holds: (item: Item) => boolean): boolean {
  try {
    let looked = 0;
    for (const item of items) {
      if (holds(item)) return true;
      if (++looked === ITEMS_LOOKED_AT) return false;
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
  }
  return false;
}
