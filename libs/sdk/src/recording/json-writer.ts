import { cutJson, SMALL } from './cut-json.js';
import { LEVELS_MAX, PlainReader } from './plain-reader.js';

/** A value as JSON. */
export interface Serialised {
  /** Undefined for what JSON has no value for: `undefined`. */
  json: string | undefined;
  /** Some of it was left out. */
  isTruncated: boolean;
}

/** A character takes three bytes at most. */
const BYTES_PER_CHARACTER = 3;
/** So much more is read than is written: a long name near the limit makes room for what comes after it. */
const READ_MORE = 1_024;

/**
 * Writes any value as JSON, never throws: it is read as {@link PlainReader} says. What is far from the limit the language
 * writes, which takes half the time of doing so here.
 * @param bytesMax UTF-8 bytes of the JSON; texts are cut and members left out so that it has no more.
 * @param masksSecrets whether what members hold that are named like secrets is left out (docs/sdk.md#secrets).
 */
export function serialise(value: unknown, bytesMax: number, masksSecrets = true): Serialised {
  if (value === undefined) return { json: undefined, isTruncated: false };
  const reader = new PlainReader(bytesMax + READ_MORE, masksSecrets);
  const plain = reader.read(value, '');
  const lengthMax = bytesMax / BYTES_PER_CHARACTER - LEVELS_MAX - SMALL;
  // A library may have taught all lists and objects another JSON.
  if (reader.length <= lengthMax && !('toJSON' in [])) {
    const json = JSON.stringify(plain);
    if (json.length <= lengthMax) return { json, isTruncated: reader.isTruncated };
  }
  const { json, isTruncated } = cutJson(plain, bytesMax);
  return { json, isTruncated: isTruncated || reader.isTruncated };
}
