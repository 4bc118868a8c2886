import { readExactJson, readJsonInPieces, type JsonValue } from '@spandrel/contract';
import { inTurns, Turn } from '@spandrel/kernel';
import { unpackedTexts, type PackedTexts } from './packed-texts.js';

/** A text that is longer is parsed in pieces. */
const SHORT = 65_536;

/** Parses packed texts one after the other, and lets others have their turn meanwhile. */
export async function* valuesOfTexts(texts: PackedTexts): AsyncGenerator<{ value: JsonValue; length: number }> {
  const turn = new Turn();
  for (const text of unpackedTexts(texts)) {
    if (text.length > SHORT) yield { value: await inTurns(readJsonInPieces(text)), length: text.length };
    else yield { value: readExactJson(text), length: text.length };
    if (turn.isOver()) await turn.next();
  }
}
