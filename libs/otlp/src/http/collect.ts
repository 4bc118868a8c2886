import { Invalid, Turn } from '@spandrel/kernel';
import { ExportFault } from '../decode/export-fault.js';

/** What was read of an export. */
export interface Collected<Item> {
  /** Items of the export; `null` where there are more than may be kept. */
  items: Item[] | null;
  /** How many it holds. */
  count: number;
}

/**
 * Reads all that a decoder gives, in slices, so that others are served meanwhile. Items take many times their
 * bytes, so a large export is read once to see that all of it is right, and again as it is used.
 * @param keptMax items that are kept.
 * @throws Invalid `malformed_request` or `payload_too_large` where the decoder throws ExportFault.
 */
export async function collect<Item>(decoded: Iterable<Item>, keptMax: number): Promise<Collected<Item>> {
  let items: Item[] | null = [];
  let count = 0;
  const turn = new Turn();
  try {
    for (const item of decoded) {
      if (++count > keptMax) items = null;
      items?.push(item);
      if (turn.isOver()) await turn.next();
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    throw new Invalid(error.kind === 'too_large' ? 'payload_too_large' : 'malformed_request', error.message);
  }
  return { items, count };
}
