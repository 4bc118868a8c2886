import type { ReadUsage, SpanReading } from '@spandrel/plugin-api';

/** A member of a reading, and what counts as a value of it. */
export interface ReadingMember<Name extends keyof SpanReading = keyof SpanReading> {
  readonly name: Name;
  readonly isValue: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isGiven = (value: unknown): boolean => isObject(value) && value['value'] !== undefined && value['value'] !== null;

const isGivenMembers = (value: unknown): boolean =>
  isObject(value) && isObject(value['value']) && Object.keys(value['value']).length > 0;

const isKind = (value: unknown): boolean => isObject(value) && isText(value['type']) && KINDS.has(value['type']);

const KINDS: ReadonlySet<unknown> = new Set(['llm_call', 'embedding', 'retrieval', 'tool_call', 'custom']);

/** What tells neither a count nor a cost is no usage, so that the next dialect is asked. */
function isUsage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { inputTokens, outputTokens, cost } = value as ReadUsage;
  return isCount(inputTokens) || isCount(outputTokens) || isAmount(cost);
}

/** A number of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Dollars or milliseconds: a number from 0. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.some(isText);

const isPending = (value: unknown): boolean => isObject(value) && isText(value['spanId']);

/** All members of a reading. */
export const MEMBERS: readonly ReadingMember[] = [
  { name: 'kind', isValue: isKind },
  { name: 'model', isValue: isText },
  { name: 'responseModel', isValue: isText },
  { name: 'responseId', isValue: isText },
  { name: 'provider', isValue: isText },
  { name: 'usage', isValue: isUsage },
  { name: 'input', isValue: isGiven },
  { name: 'output', isValue: isGiven },
  { name: 'request', isValue: isGivenMembers },
  { name: 'streaming', isValue: (value) => typeof value === 'boolean' },
  { name: 'timeToFirstTokenMs', isValue: isAmount },
  { name: 'metadata', isValue: isGivenMembers },
  { name: 'failure', isValue: isText },
  { name: 'session', isValue: isText },
  { name: 'user', isValue: isText },
  { name: 'tags', isValue: isTexts },
  { name: 'traceName', isValue: isText },
  { name: 'traceMetadata', isValue: isGivenMembers },
  { name: 'pendingOf', isValue: isPending },
];
