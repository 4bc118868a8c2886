import { setImmediate as nextTurn } from 'node:timers/promises';
import { Invalid } from '@spandrel/kernel';
import { ExportFault } from '../decode/export-fault.js';

/** Milliseconds that an export is read at a time; after that others have their turn. */
const SLICE_MS = 10;

/** Items that are read between two looks at the clock. */
const ITEMS_A_LOOK = 16;

/**
 * Takes all that a decoder gives, in slices, so that others are served meanwhile.
 * @throws Invalid `malformed_request` or `payload_too_large` where the decoder throws ExportFault.
 */
export async function collect<Item>(decoded: Iterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  let began = performance.now();
  try {
    for (const item of decoded) {
      all.push(item);
      if (all.length % ITEMS_A_LOOK !== 0 || performance.now() - began < SLICE_MS) continue;
      await nextTurn();
      began = performance.now();
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    throw new Invalid(error.kind === 'too_large' ? 'payload_too_large' : 'malformed_request', error.message);
  }
  return all;
}
