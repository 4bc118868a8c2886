import { inTurns } from '@spandrel/kernel';
import { fitSpanInPieces, withoutContent } from '../recording/fit-span.js';
import { SpoolItem } from './spool-item.js';

/** Below this a recording that is too large is not shortened again but stripped. */
const SHORTENED_CHARS_MIN = 16 * 1024;

/**
 * The form of an item that is tried when the API has refused it: shorter texts where it was too large; else, and when
 * little is left to shorten, without input, output and parameters, which hold what may be too deep or not storable.
 * What takes long is done in turns with others.
 * @returns `null` when nothing is left to take off.
 */
export async function reduceItem(item: SpoolItem, tooLarge: boolean): Promise<SpoolItem | null> {
  const { caller, id, trace, span, finished, reduced } = item;
  if (reduced) return null;
  if (tooLarge && span.length > SHORTENED_CHARS_MIN) {
    return new SpoolItem(caller, id, trace, await inTurns(fitSpanInPieces(span, span.length >> 1)), finished);
  }
  return new SpoolItem(caller, id, trace, withoutContent(span), finished, true);
}
