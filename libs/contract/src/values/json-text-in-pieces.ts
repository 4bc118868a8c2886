/** What is written at once, about: a value counts eight, a text its UTF-16 units. A few milliseconds for the worst of values. */
const PIECE = 65_536;
const VALUE = 8;

/**
 * Writes a value as `JSON.stringify` does, piece by piece, so that whoever drives it can let others have their turn at
 * each `yield`.
 * @param value what a JSON text was parsed to, and objects and lists around it; members that are `undefined` are left out.
 * @returns JSON text.
 */
export function* jsonTextInPieces(value: unknown): Generator<void, string, void> {
  const texts: string[] = [];
  yield* write(value, texts);
  return texts.join('');
}

/** Whether a value is so large that {@link jsonTextInPieces} writes it in several pieces. */
export function isLargeJson(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && large.has(value)) return true;
  const isLarge = jsonWeight(value, PIECE) > PIECE;
  if (isLarge && isObject) large.add(value);
  return isLarge;
}

/** Values known to be large: to begin to look at an object of 100,000 members takes milliseconds. */
const large = new WeakSet<object>();

function* write(value: unknown, texts: string[]): Generator<void, void, void> {
  if (!isLargeJson(value)) {
    texts.push(JSON.stringify(value));
  } else if (typeof value === 'string') {
    yield* writeString(value, texts);
  } else if (Array.isArray(value)) {
    yield* writeList(value, texts);
  } else {
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
  texts.push('{');
  let isFirst = true;
  let weight = 0;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    texts.push(isFirst ? '' : ',', JSON.stringify(name), ':');
    isFirst = false;
    weight += VALUE + name.length + ownWeight(value);
    if (weight <= PIECE) {
      texts.push(JSON.stringify(value));
      continue;
    }
    yield;
    yield* write(value, texts);
    weight = 0;
  }
  texts.push('}');
}

/** {@link jsonWeight} up to what is written at once. */
const ownWeight = (value: unknown): number => (isLargeJson(value) ? PIECE + 1 : jsonWeight(value, PIECE));

/** How much a value is to write: a value counts eight, a text its UTF-16 units. No more is looked at once it is over `max`. */
export function jsonWeight(value: unknown, max: number): number {
  if (typeof value === 'string') return VALUE + value.length;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return VALUE;
  if (max <= PIECE && large.has(value)) return PIECE + 1;
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
