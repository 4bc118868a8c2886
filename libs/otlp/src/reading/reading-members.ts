import type { ReadUsage, SpanReading } from '@spandrel/plugin-api';

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

const isFlag = (value: unknown): boolean => typeof value === 'boolean';

/** A reading that knows nothing, with a place for every member. */
export const emptyReading = (): SpanReading => ({
  kind: undefined,
  model: undefined,
  responseModel: undefined,
  responseId: undefined,
  provider: undefined,
  usage: undefined,
  input: undefined,
  output: undefined,
  request: undefined,
  streaming: undefined,
  timeToFirstTokenMs: undefined,
  metadata: undefined,
  failure: undefined,
  session: undefined,
  user: undefined,
  tags: undefined,
  traceName: undefined,
  traceMetadata: undefined,
  pendingOf: undefined,
});

/**
 * Adds what a reading has and those before it have not. Every member is written out: a loop over their names took a tenth
 * of the time that dialects take.
 */
export function addReading(merged: SpanReading, reading: SpanReading): void {
  if (merged.kind === undefined && isKind(reading.kind)) merged.kind = reading.kind;
  if (merged.model === undefined && isText(reading.model)) merged.model = reading.model;
  if (merged.responseModel === undefined && isText(reading.responseModel)) merged.responseModel = reading.responseModel;
  if (merged.responseId === undefined && isText(reading.responseId)) merged.responseId = reading.responseId;
  if (merged.provider === undefined && isText(reading.provider)) merged.provider = reading.provider;
  if (merged.usage === undefined && isUsage(reading.usage)) merged.usage = reading.usage;
  if (merged.input === undefined && isGiven(reading.input)) merged.input = reading.input;
  if (merged.output === undefined && isGiven(reading.output)) merged.output = reading.output;
  if (merged.request === undefined && isGivenMembers(reading.request)) merged.request = reading.request;
  if (merged.streaming === undefined && isFlag(reading.streaming)) merged.streaming = reading.streaming;
  if (merged.timeToFirstTokenMs === undefined && isAmount(reading.timeToFirstTokenMs))
    merged.timeToFirstTokenMs = reading.timeToFirstTokenMs;
  if (merged.metadata === undefined && isGivenMembers(reading.metadata)) merged.metadata = reading.metadata;
  if (merged.failure === undefined && isText(reading.failure)) merged.failure = reading.failure;
  if (merged.session === undefined && isText(reading.session)) merged.session = reading.session;
  if (merged.user === undefined && isText(reading.user)) merged.user = reading.user;
  if (merged.tags === undefined && isTexts(reading.tags)) merged.tags = reading.tags;
  if (merged.traceName === undefined && isText(reading.traceName)) merged.traceName = reading.traceName;
  if (merged.traceMetadata === undefined && isGivenMembers(reading.traceMetadata))
    merged.traceMetadata = reading.traceMetadata;
  if (merged.pendingOf === undefined && isPending(reading.pendingOf)) merged.pendingOf = reading.pendingOf;
}
