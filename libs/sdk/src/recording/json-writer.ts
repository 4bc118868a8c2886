import { utf8Bytes } from '../delivery/queue.js';
import { LEVELS_MAX, PlainReader } from './plain-reader.js';

/** The room that a number, a word and the brackets of an empty list need at most. */
const SMALL = 32;

/** Writes what a `PlainReader` gave. @param bytesMax UTF-8 bytes of the JSON; texts are cut and members left out. */
export function cutJson(plain: unknown, bytesMax: number): { json: string; isTruncated: boolean } {
  const writer = new CuttingWriter(bytesMax);
  writer.write(plain);
  return { json: writer.out, isTruncated: writer.isTruncated };
}

class CuttingWriter {
  out = '';
  isTruncated = false;
  /** Bytes left, beside the brackets that must still be closed. */
  private room: number;

  constructor(bytesMax: number) {
    this.room = bytesMax;
  }

  write(plain: unknown): void {
    if (typeof plain === 'string') this.text(plain);
    else if (Array.isArray(plain)) this.list(plain);
    else if (typeof plain === 'object' && plain !== null) this.members(plain);
    else this.put(String(plain));
  }

  private list(items: readonly unknown[]): void {
    this.put('[', 2);
    for (const [index, item] of items.entries()) {
      if (this.isFull()) break;
      if (index > 0) this.put(',');
      this.write(item);
    }
    this.put(']', 0);
  }

  private members(members: object): void {
    this.put('{', 2);
    let comma = '';
    for (const [key, value] of Object.entries(members)) {
      const name = `${comma}${JSON.stringify(key)}:`;
      const bytes = utf8Bytes(name);
      if (this.isFull(bytes)) break;
      this.put(name, bytes);
      this.write(value);
      comma = ',';
    }
    this.put('}', 0);
  }

  /** Whether nothing more can follow, which leaves something out. */
  private isFull(bytes = 0): boolean {
    if (bytes + SMALL <= this.room) return false;
    this.isTruncated = true;
    return true;
  }

  private put(json: string, bytes = json.length): void {
    this.out += json;
    this.room -= bytes;
  }

  /** Cuts the text to what there is room for. */
  private text(text: string): void {
    const room = Math.max(this.room, 2);
    let cut = text.length > room ? text.slice(0, room) : text;
    let quoted = JSON.stringify(cut);
    let bytes = utf8Bytes(quoted);
    while (bytes > room) {
      cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * room) / bytes)));
      quoted = JSON.stringify(cut);
      bytes = utf8Bytes(quoted);
    }
    if (cut.length < text.length) {
      this.isTruncated = true;
      // No half of a pair at the end.
      if (/[\ud800-\udbff]$/.test(cut)) quoted = JSON.stringify(cut.slice(0, -1));
      bytes = utf8Bytes(quoted);
    }
    this.put(quoted, bytes);
  }
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
 * @returns `json` is undefined for what JSON has no value for; `isTruncated`: some of it was left out.
 */
export function serialise(value: unknown, bytesMax: number, masksSecrets = true) {
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
