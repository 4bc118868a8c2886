import { isKnownLarge, memberNames, noteLarge } from './large-values.js';

/** What is written at once, about: a value counts eight, a text its UTF-16 units. A few milliseconds for the worst of values. */
const PIECE = 65_536;
const VALUE = 8;

/** Writes a value of JSON as `JSON.stringify` does, piece by piece: others may have their turn at each `yield`. */
export function* jsonTextInPieces(value: unknown): Generator<void, string, void> {
  const texts: string[] = [];
  yield* write(value, texts);
  return texts.join('');
}

/** Whether a value is so large that {@link jsonTextInPieces} writes it in several pieces. */
export function isLargeJson(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && isKnownLarge(value)) return true;
  const isLarge = jsonWeight(value, PIECE) > PIECE;
  if (isLarge && isObject) noteLarge(value);
  return isLarge;
}

function* write(value: unknown, texts: string[]): Generator<void, void, void> {
  if (!isLargeJson(value)) {
    texts.push(JSON.stringify(value));
  } else if (typeof value === 'string') {
    yield* writeString(value, texts);
  } else if (Array.isArray(value)) {
    yield* writeList(value, texts);
  } else {
    yield;
    yield* writeObject(value as Record<string, unknown>, texts);
  }
}

function* writeString(value: string, texts: string[]): Generator<void, void, void> {
  texts.push('"');
  for (let start = 0, end = 0; start < value.length; start = end) {
    end = Math.min(start + PIECE, value.length);
    // Halves of one character are written otherwise than the whole.
    if (isHighSurrogate(value.charCodeAt(end - 1)) && end < value.length) end++;
    texts.push(JSON.stringify(value.slice(start, end)).slice(1, -1));
    yield;
  }
  texts.push('"');
}

function* writeList(items: readonly unknown[], texts: string[]): Generator<void, void, void> {
  texts.push('[');
  let from = 0;
  let weight = 0;
  const writeSmall = (end: number): void => {
    if (end > from) texts.push(from === 0 ? '' : ',', JSON.stringify(items.slice(from, end)).slice(1, -1));
    from = end;
    weight = 0;
  };
  for (let index = 0; index < items.length; index++) {
    const own = ownWeight(items[index]);
    weight += own;
    if (weight <= PIECE) continue;
    writeSmall(index);
    yield;
    if (own <= PIECE) {
      weight = own;
      continue;
    }
    if (index > 0) texts.push(',');
    yield* write(items[index], texts);
    from = index + 1;
    weight = 0;
  }
  writeSmall(items.length);
  texts.push(']');
}

function* writeObject(object: Record<string, unknown>, texts: string[]): Generator<void, void, void> {
  let before = '{';
  let small: string[] = [];
  let weight = 0;
  const writeSmall = (): void => {
    if (small.length > 0) {
      texts.push(before, small.join());
      before = ',';
    }
    small = [];
    weight = 0;
  };
  for (const name of memberNames(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const own = ownWeight(value);
    weight += VALUE + name.length + own;
    if (own <= PIECE) small.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    if (weight <= PIECE) continue;
    writeSmall();
    yield;
    if (own <= PIECE) continue;
    texts.push(`${before}${JSON.stringify(name)}:`);
    before = ',';
    yield* write(value, texts);
  }
  writeSmall();
  texts.push(before === '{' ? '{}' : '}');
}

const ownWeight = (value: unknown): number => (isLargeJson(value) ? PIECE + 1 : jsonWeight(value, PIECE));

/** How much a value is to write: a value counts eight, a text its UTF-16 units. No more is looked at once it is over `max`. */
export function jsonWeight(value: unknown, max: number): number {
  if (typeof value === 'string') return VALUE + value.length;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return VALUE;
  if (max <= PIECE && isKnownLarge(value)) return PIECE + 1;
  let weight = VALUE;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= max; index++)
      weight += jsonWeight(value[index], max - weight);
    return weight;
  }
  for (const name in value) {
    if (weight > max) break;
    weight += VALUE + name.length + jsonWeight((value as Record<string, unknown>)[name], max - weight);
  }
  return weight;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
