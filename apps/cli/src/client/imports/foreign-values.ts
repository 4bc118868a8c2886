import { createHash } from 'node:crypto';
import type { SpanKind } from '@spandrel/contract';
import {
  CLIENT_ID,
  isStorableText,
  KEY_LENGTH_MAX,
  NAME_LENGTH_MAX,
  parseTimestamp,
  UNKNOWN_MODEL,
} from '@spandrel/contract';
import { filledTextOf, kindOfType, looseJson, usageMembers, type ReadUsage } from '@spandrel/plugin-api';

/** Values of other products in the forms that ours have. */

export type Members = Record<string, unknown>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

/** A text, or a number with every digit that it was written with; `null` for an empty text and any other value. */
export const textOf = (value: unknown): string | null =>
  filledTextOf(JSON.isRawJSON(value) ? value.rawJSON : typeof value === 'number' ? String(value) : value);

/** An id as it is where it may be one of ours; else one that is made of it, always the same. */
export function keepId(id: string): string {
  return CLIENT_ID.test(id) ? id : digestOf(id).slice(0, 32);
}

export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .digest('hex');

/** A text that is there, without what no database keeps. */
export const nameOf = (value: unknown, otherwise: string): string =>
  (filledTextOf(value) ?? otherwise).toWellFormed().replaceAll('\0', '').slice(0, NAME_LENGTH_MAX);

/** A text that may be looked up exactly: a session, a user, a tag, a model; `undefined` for any other value. */
export function keyOf(value: unknown): string | undefined {
  const text = filledTextOf(value);
  const isKey = text !== null && text.length <= KEY_LENGTH_MAX && isStorableText(text);
  return isKey ? text : undefined;
}

export const keysOf = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value.flatMap((one) => keyOf(one) ?? []))] : [];

/** Text that is JSON as that, any other value as it is; nothing and an empty text are `null`. */
export const payloadOf = (value: unknown): unknown =>
  value === '' ? null : typeof value === 'string' ? looseJson(value) : (value ?? null);

/** A time as the wire has it; one without an offset is UTC. */
export function timeOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? parseTimestamp(value) : undefined;
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** The members of what has no place of its own, without those that say nothing; `undefined` where all of them do. */
export function leftOf(rest: Members): Members | undefined {
  const filled = Object.entries(rest).filter(([, value]) => !isNothing(value));
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && sizeOf(value) === 0);

const sizeOf = (value: object): number => (JSON.isRawJSON(value) ? 1 : Object.keys(value).length);

/**
 * Metadata of ours: those of the other product as they are, and in `imported` what has no place.
 * @param own members, an object or JSON text of one; any other value goes to `imported.metadata`, a member `imported`
 * of theirs to `imported.imported`.
 */
export function metadataWith(own: unknown, from: string, rest: Members): Members {
  const read = payloadOf(own);
  const { imported, ...kept } = membersOf(read);
  const left = leftOf({ ...rest, ...(isMembers(read) ? { imported } : { metadata: read }) });
  return { ...kept, imported: { from, ...left } };
}

/** The kind of a span by the type that another product gives it, with its model and its usage. */
export function kindFor(
  type: string,
  name: string,
  { model, provider, usage = {} }: { model?: unknown; provider?: unknown; usage?: ReadUsage | undefined },
): SpanKind {
  const kind = kindOfType(type, name);
  const named = { model: keyOf(model), provider: keyOf(provider)?.toLowerCase() };
  const counts = usageMembers(usage);
  if (kind.type === 'llm_call' || kind.type === 'embedding') {
    return { type: kind.type, model: named.model ?? UNKNOWN_MODEL, provider: named.provider ?? null, ...counts };
  }
  const others = { ...leftOf(named), ...counts };
  if (kind.type === 'tool_call') return { type: kind.type, name, call_id: null, ...others };
  if (kind.type === 'retrieval') return { type: kind.type, ...others };
  return { type: 'custom', kind: kind.kind, attributes: {}, ...others };
}

/** Sets a member of members, all of which are made as needed. */
export function setAt(object: Members, [name, ...path]: string[], value: unknown): void {
  if (path.length === 0 || name === '__proto__') object[[name, ...path].join('.')] = value;
  else setAt((object[name!] = membersOf(object[name!])), path, value);
}
