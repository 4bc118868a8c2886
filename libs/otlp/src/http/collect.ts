import { Invalid, Turn } from '@spandrel/kernel';
import { ExportFault } from '../decode/export-fault.js';

/**
 * Reads all that a decoder gives, in slices, so that others are served meanwhile: an export that is damaged anywhere leaves nothing.
 * @throws Invalid `malformed_request` or `payload_too_large` where the decoder throws ExportFault.
 */
export async function collect<Item>(decoded: Iterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  const turn = new Turn();
  try {
    for (const item of decoded) {
      items.push(item);
      if (turn.isOver()) await turn.next();
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    throw new Invalid(error.kind === 'too_large' ? 'payload_too_large' : 'malformed_request', error.message);
  }
  return items;
}
