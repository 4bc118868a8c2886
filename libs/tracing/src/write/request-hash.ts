import { createHash, hash, type Hash } from 'node:crypto';
import { isLargeJson, jsonTextInPieces, memberNames } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';

/**
 * A fingerprint of a create request: it shows whether a create with a known id is the same one sent again
 * (docs/spec/general.md#repeating-a-create). The order of members does not count; a known member that is absent equals
 * one that is `null`.
 * @param members the known members of the body, by reference.
 */
export function requestHash(members: Readonly<Record<string, unknown>>): string {
  return hash('sha256', canonicalJson(givenOf(members)), 'base64url').slice(0, LETTERS);
}

/** {@link requestHash} of a large request: others have their turn meanwhile. */
export async function largeRequestHash(members: Readonly<Record<string, unknown>>): Promise<string> {
  const sha = createHash('sha256');
  await inTurns(hashInPieces(givenOf(members), sha));
  return sha.digest('base64url').slice(0, LETTERS);
}

const LETTERS = 22;

const givenOf = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

const BYTES_AT_ONCE = 1024 * 1024;
/** Items and members that are hashed together where they are small. */
const TEXT_AT_ONCE = 65_536;

/** Hashes the canonical JSON of a value. */
function* hashInPieces(value: unknown, sha: Hash): Generator<void, void, void> {
  if (!isLargeJson(value)) {
    sha.update(canonicalJson(value));
    return;
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(yield* jsonTextInPieces(value));
    for (let start = 0; start < bytes.length; start += BYTES_AT_ONCE) {
      sha.update(bytes.subarray(start, start + BYTES_AT_ONCE));
      yield;
    }
    return;
  }
  yield;
  const members = value as Record<string | number, unknown>;
  const isList = Array.isArray(value);
  const names = isList ? value.keys() : yield* sortedInPieces(memberNames(members));
  let text = isList ? '[' : '{';
  let comma = '';
  for (const name of names) {
    text += isList ? comma : `${comma}${JSON.stringify(name)}:`;
    comma = ',';
    if (isLargeJson(members[name])) {
      sha.update(text);
      text = '';
      yield* hashInPieces(members[name], sha);
    } else {
      text += canonicalJson(members[name]);
    }
    if (text.length < TEXT_AT_ONCE) continue;
    sha.update(text);
    text = '';
    yield;
  }
  sha.update(text + (isList ? ']' : '}'));
}

/** Names that are sorted at once. */
const SORTED_AT_ONCE = 4_096;

/** Sorts like `toSorted`, but piece by piece: what is sorted already is merged by twos. */
function* sortedInPieces(names: readonly string[]): Generator<void, readonly string[], void> {
  let sorted: (readonly string[])[] = [];
  for (let start = 0; start < names.length; start += SORTED_AT_ONCE) {
    sorted.push(names.slice(start, start + SORTED_AT_ONCE).toSorted());
    yield;
  }
  while (sorted.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let index = 0; index < sorted.length; index += 2) {
      merged.push(yield* mergedInPieces(sorted[index]!, sorted[index + 1] ?? []));
    }
    sorted = merged;
  }
  return sorted[0] ?? [];
}

function* mergedInPieces(left: readonly string[], right: readonly string[]): Generator<void, readonly string[], void> {
  const merged: string[] = [];
  let taken = 0;
  for (const [index, name] of left.entries()) {
    while (taken < right.length && right[taken]! < name) merged.push(right[taken++]!);
    merged.push(name);
    if (index % SORTED_AT_ONCE === 0) yield;
  }
  return [...merged, ...right.slice(taken)];
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${members.join(',')}}`;
}

/** Letters of it that a trace or a span keeps, 72 bits: every letter is a byte of every span. */
const KEPT_LETTERS = 12;

/** What is kept of a create request, by its body: `null` when the service chose the id, so that nobody can repeat it. */
export const createRequestHash = (body: Readonly<Record<string, unknown>>): string | null =>
  body['id'] ? requestHash(body).slice(0, KEPT_LETTERS) : null;

/** {@link createRequestHash} of a large body: others have their turn meanwhile. */
export const largeCreateHash = async (body: Readonly<Record<string, unknown>>): Promise<string | null> =>
  body['id'] ? (await largeRequestHash(body)).slice(0, KEPT_LETTERS) : null;
