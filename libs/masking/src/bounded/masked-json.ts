import { jsonTextInPieces, parseWithSources, readJsonInPieces } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import type { MaskingCalls } from '../engine/masking.js';
import type { BoundedMasking } from './bounded-masking.js';

/**
 * Masks a thing that is JSON text, of any size; others have their turn meanwhile.
 * @param mask a pure function, such as `maskSpan`.
 */
export async function maskedJson<Thing>(
  text: string,
  masking: BoundedMasking,
  mask: (calls: MaskingCalls, thing: Thing) => Thing,
): Promise<string> {
  const thing = (await inTurns(readJsonInPieces(text, parseWithSources))) as Thing;
  return inTurns(jsonTextInPieces(await masking.run((calls) => mask(calls, thing))));
}
