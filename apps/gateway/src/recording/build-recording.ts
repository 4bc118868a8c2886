import { STATUS_CODES } from 'node:http';
import {
  formatTimestamp,
  isStorableText,
  KEY_LENGTH_MAX,
  NAME_LENGTH_MAX,
  UNKNOWN_MODEL,
  type SpanStatus,
} from '@spandrel/contract';
import {
  choiceMembers,
  UNKNOWN_USAGE,
  usageMembers,
  type RecordedAnswer,
  type RecordedRequest,
  type Usage,
} from '@spandrel/plugin-api';
import type { Masking } from '@spandrel/masking/engine';
import { isTruncated } from './body-buffer.js';
import type { CallerKey } from '../access/caller-key.js';
import { maskFacts, withoutContent, type RecordingRule } from '../masking/recording-rules.js';
import { captured, capturedMessage, capturedParameters } from './capture.js';
import type { AnswerFacts, CallFacts, CallRecord, Outcome, Wire } from './call-facts.js';
import { parseBody, plainTextOf, readAnswer, responseIdOf, type ReadAnswer } from './read-answer.js';
import { fitSpan, SPAN_CHARS_MAX } from './fit-span.js';
import { withoutServerKeys, type Secrets } from './secrets.js';

/** A trace of an ingest, for a sender that does not know whether it exists. */
interface RecordedTrace {
  id: string;
  defaults: { name: string; started_at: string };
  [member: string]: unknown;
}

interface RecordedSpan {
  id: string;
  trace_id: string;
  parent_id: string | null;
  name: string;
  kind: Record<string, unknown>;
  input?: unknown;
  output?: unknown;
  status: SpanStatus;
  started_at: string;
  ended_at?: string;
  metadata: Record<string, unknown>;
}

/** The end of a span that is known to the API, with the members that it changes. */
type SpanEnd = Pick<RecordedSpan, 'id' | 'trace_id' | 'name' | 'kind' | 'output' | 'status' | 'ended_at'>;

/** A response that goes on behind its call: its id at the provider, and what a span says that its end belongs to. */
interface Pending {
  responseId: string;
  name: string;
  model: string;
}

/** What goes to the API about one call. */
export interface Recording {
  trace: RecordedTrace;
  span: RecordedSpan;
  pending?: Pending;
}

const NO_REQUEST: RecordedRequest = { model: null, input: null, streaming: false, parameters: {} };

/**
 * The recording of a call: a pure function of what went by, so that neither how the bytes were cut into pieces nor
 * whether it runs now or after a crash changes it (docs/spec/gateway.md#the-recorded-span). Credentials are taken
 * out later.
 * @param masking the rules of the call's project; `null` where it has none. Texts are masked before they are cut.
 */
export function buildRecording(record: CallRecord, masking: Masking | null = null): Recording {
  const { facts, wire, outcome } = record;
  const request = masked(readRequest(record), masking);
  const read = maskedAnswer(readIfGood(record, request), masking);
  const answer = read?.answer ?? null;
  const model = storableName(request.model ?? answer?.model ?? null) ?? UNKNOWN_MODEL;
  const paid = answer?.isFallback === true ? (storableName(answer.model) ?? model) : model;
  const error = errorOf(record, read, masking);
  const responseId = request.parameters['background'] === true ? pendingResponse(record, read) : null;
  const startedAt = formatTimestamp(facts.startedAt);
  const span: RecordedSpan = {
    id: facts.id,
    trace_id: facts.traceId,
    parent_id: facts.parentId,
    name: model === UNKNOWN_MODEL ? wire.endpoint.name : masking ? masking.text(model, 'name', NAME_LENGTH_MAX) : model,
    kind: kindOf(facts, paid, outcome.kind === 'running' ? null : (answer?.usage ?? UNKNOWN_USAGE)),
    status: outcome.kind === 'running' ? 'running' : error === null ? 'completed' : { failed: { error } },
    started_at: startedAt,
    metadata: metadataOf(record, request, read, responseId !== null),
  };
  if (facts.capture.mode !== 'off') span.input = captured(request.input ?? null, facts.capture);
  if (outcome.kind !== 'running') {
    span.ended_at = endOf(record);
    if (facts.capture.mode !== 'off') span.output = captured(outputOf(answer, error), facts.capture);
  }
  const trace = { id: facts.traceId, ...facts.trace, defaults: { name: span.name, started_at: startedAt } };
  return { trace, span, ...(responseId !== null && { pending: { responseId, name: span.name, model } }) };
}

/**
 * What the answer to a question about a response changes in the span of the call that began it; `null` when it is not over.
 * @param masking as for {@link buildRecording}.
 */
function buildEnd(record: CallRecord, masking: Masking | null): { trace: RecordedTrace; span: SpanEnd } | null {
  const { facts } = record;
  const { name, model } = facts.completes!;
  const read = maskedAnswer(readIfGood(record, NO_REQUEST), masking);
  if (!read?.answer || !read.complete || goesOn(read.answer)) return null;
  const error = errorOf(record, read, masking);
  const span: SpanEnd = {
    id: facts.id,
    trace_id: facts.traceId,
    name,
    kind: kindOf(facts, model, read.answer.usage),
    status: error === null ? 'completed' : { failed: { error } },
    ended_at: endOf(record),
  };
  if (facts.capture.mode !== 'off') span.output = captured(outputOf(read.answer, error), facts.capture);
  return { trace: { id: facts.traceId, defaults: { name, started_at: formatTimestamp(facts.startedAt) } }, span };
}

const endOf = ({ facts, endedTick }: CallRecord): string =>
  formatTimestamp(facts.startedAt + Math.max(0, Math.round(endedTick - facts.startedTick)));

/** Whether a response of the Responses API goes on, as its status says. */
const goesOn = ({ finishReason }: RecordedAnswer): boolean =>
  finishReason === null || finishReason === 'queued' || finishReason === 'in_progress';

/** The id of a response that goes on behind its call. */
function pendingResponse({ answer, response, outcome }: CallRecord, read: ReadAnswer | null): string | null {
  if (outcome.kind === 'running' || !read?.answer || !goesOn(read.answer)) return null;
  return responseIdOf(answer!, response);
}

/** What was asked; the model is what the call is priced and found by, and stays. */
const masked = (request: RecordedRequest, masking: Masking | null): RecordedRequest =>
  masking === null
    ? request
    : {
        ...request,
        input: masking.json(request.input, 'input'),
        parameters: masking.json(request.parameters, 'metadata'),
      };

function maskedAnswer(read: ReadAnswer | null, masking: Masking | null): ReadAnswer | null {
  if (masking === null || !read?.answer) return read;
  const { text, toolCalls, reasoning, choices, error } = read.answer;
  const answer: RecordedAnswer = {
    ...read.answer,
    text: masking.text(text, 'output'),
    toolCalls: masking.json(toolCalls, 'output'),
    ...(reasoning !== undefined && { reasoning: masking.text(reasoning, 'output') }),
    ...(choices && { choices: masking.json(choices, 'output') }),
    error: masking.text(error, 'error'),
  };
  return { ...read, answer };
}

function readRequest({ wire, request }: CallRecord): RecordedRequest {
  const body = parseBody(request);
  if (body === undefined) return NO_REQUEST;
  return attempt(() => {
    const read = wire.endpoint.readRequest(body);
    return { ...read, parameters: withoutServerKeys(read.parameters) };
  }, NO_REQUEST);
}

function readIfGood({ wire, answer, response }: CallRecord, request: RecordedRequest): ReadAnswer | null {
  if (answer === null || !isGood(answer)) return null;
  const nothing: ReadAnswer = {
    streaming: request.streaming,
    answer: null,
    complete: false,
    isEndLost: false,
    firstTokenAt: null,
  };
  return attempt(() => readAnswer(wire.endpoint, answer, response, request.streaming), nothing);
}

function kindOf(facts: CallFacts, model: string, usage: Usage | null): Record<string, unknown> {
  const kind: Record<string, unknown> = { type: 'llm_call', model, provider: facts.provider };
  if (usage === null) return kind;
  return { ...kind, input_tokens: null, output_tokens: null, ...usageMembers(usage) };
}

/** @param isPending whether the response goes on, so that its tokens are not known yet. */
function metadataOf(
  record: CallRecord,
  request: RecordedRequest,
  read: ReadAnswer | null,
  isPending: boolean,
): Record<string, unknown> {
  const { facts, answer, outcome } = record;
  const metadata: Record<string, unknown> = {
    endpoint: facts.wire.path,
    status_code: answer?.status ?? (outcome.kind === 'unreachable' ? outcome.status : null),
    streaming: read?.streaming ?? request.streaming,
    time_to_first_token_ms:
      read?.firstTokenAt == null ? null : Math.max(0, Math.round(read.firstTokenAt - facts.startedTick)),
    response_model: storableName(read?.answer?.model ?? null),
    request: capturedParameters(request.parameters, facts.capture),
  };
  if (facts.captureNotUnderstood !== undefined) metadata['capture_not_understood'] = facts.captureNotUnderstood;
  if (facts.withheld !== undefined) metadata['content_withheld'] = facts.withheld;
  if (facts.unknownHeaders) metadata['unknown_headers'] = facts.unknownHeaders;
  // The end of a response that goes on adds no metadata: what it will cost is its provider's word, or the table's.
  if (isPending || typeof read?.answer?.usage.cost === 'number') metadata['cost_source'] = 'provider';
  if (outcome.kind !== 'running' && !isPending && lacksUsage(read)) metadata['usage_missing'] = true;
  if (isTruncated(record.request) || isTruncated(record.response)) metadata['truncated'] = true;
  return metadata;
}

/** A whole answer without its tokens: OpenAI's streams have them only when asked. */
function lacksUsage(read: ReadAnswer | null): boolean {
  if (!read?.complete || read.answer === null || read.answer.error !== null) return false;
  return read.answer.usage.inputTokens === null && read.answer.usage.outputTokens === null;
}

function outputOf(answer: RecordedAnswer | null, error: string | null): unknown {
  if (answer === null) return null;
  const { text, toolCalls, reasoning, choices } = answer;
  if (error !== null && !text && toolCalls.length === 0 && !reasoning && !choices) return null;
  return { ...choiceMembers(answer), ...(choices && { choices: choices.map(choiceMembers) }) };
}

/** Why the call failed; `null` when it did not. */
function errorOf(record: CallRecord, read: ReadAnswer | null, masking: Masking | null): string | null {
  const { facts, wire, answer, outcome } = record;
  if (outcome.kind === 'running') return null;
  if (outcome.kind === 'unreachable') return outcome.reason;
  if (answer !== null && !isGood(answer)) return httpError(answer, wire, record, masking);
  const reported = read?.answer?.error;
  if (reported) return capturedMessage(reported, facts.capture) ?? 'the upstream reported an error';
  if (outcome.kind === 'answered') {
    if (!read?.answer || read.complete || read.isEndLost) return null;
    return read.streaming ? 'the stream ended without its end mark' : 'the answer ended in the middle of its JSON';
  }
  return read?.complete ? null : brokenOff(outcome);
}

function brokenOff(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'client-gone':
      return 'client disconnected';
    case 'cut':
      return outcome.reason;
    default:
      return 'gateway stopped';
  }
}

function httpError(
  answer: AnswerFacts,
  { entry }: Wire,
  { facts, response }: CallRecord,
  masking: Masking | null,
): string {
  const body = parseBody(response) ?? plainTextOf(answer, response);
  const message = body === undefined ? undefined : attempt(() => entry.provider.errorMessage(body), undefined);
  const own = capturedMessage(masking ? masking.text(message, 'error') : message, facts.capture);
  const said = own ?? (answer.statusMessage || (STATUS_CODES[answer.status] ?? 'no message'));
  return `HTTP ${answer.status}: ${said}${doubledPathNote(answer, facts)}`;
}

/** What an upstream that has nothing at an address cannot know: that the address was put together with a part twice. */
function doubledPathNote({ status }: AnswerFacts, { doubledPath }: CallFacts): string {
  if (doubledPath === undefined || (status !== 404 && status !== 405)) return '';
  return `; the call went to ${doubledPath}: X-Forward-URL must not have the path of the call in it`;
}

const isGood = ({ status }: AnswerFacts): boolean => status >= 200 && status < 300;

/** A model's name as the service can keep it. */
function storableName(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return null;
  const storable = isStorableText(name) ? name : name.toWellFormed().replaceAll('\0', '');
  return storable.slice(0, KEY_LENGTH_MAX).toWellFormed();
}

/** A plugin that throws costs the recording its details, never more. */
function attempt<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}

/** A recording as JSON, fit to be sent. */
export interface FinalRecording {
  trace: string;
  /** Empty where there is nothing to record: a response that is asked for goes on. */
  span: string;
  pending?: Pending;
}

export interface CallToRead {
  record: CallRecord;
  rule: Exclude<RecordingRule, { kind: 'unknown' }>;
  secrets: Secrets;
  /** The caller's key that it came with; `null` for none. */
  caller: CallerKey | null;
}

/** Reads a call here and now. @throws what a plugin's values throw. */
export function recordCall({ record, rule, secrets }: CallToRead): FinalRecording {
  return buildFinal(ruled(record, rule), rule.kind === 'known' ? rule.masking : null, secrets);
}

/** The call as its project's rules let it be read. */
export const ruled = (record: CallRecord, rule: CallToRead['rule']): CallRecord => {
  if (rule.kind === 'refused') return { ...record, facts: withoutContent(record.facts) };
  // What the headers said was masked when the call began, where the rules were known then.
  return rule.masking === null ? record : { ...record, facts: maskFacts(rule.masking, record.facts) };
};

/**
 * The recording of a call as the JSON that is sent, in this thread or another: without the call's credentials, within the size
 * that the API takes. A value that is no JSON (a plugin's doing) costs the recording its content.
 * @param masking the rules of the call's project; `null` where it has none.
 */
export function buildFinal(record: CallRecord, masking: Masking | null, secrets: Secrets): FinalRecording {
  if (record.facts.completes) {
    const end = buildEnd(record, masking);
    return end ? finalForm(end, secrets) : { trace: '', span: '' };
  }
  const recording = buildRecording(record, masking);
  const { pending } = recording;
  return { ...finalForm(recording, secrets), ...(pending && { pending }) };
}

function finalForm(
  { trace, span }: { trace: RecordedTrace; span: RecordedSpan | SpanEnd },
  secrets: Secrets,
): FinalRecording {
  let json: string;
  try {
    json = JSON.stringify(span);
  } catch {
    const { request: _request, ...metadata } = 'metadata' in span ? span.metadata : {};
    json = JSON.stringify({ ...span, input: null, output: null, metadata: { ...metadata, truncated: true } });
  }
  return {
    trace: secrets.redactJson(JSON.stringify(trace)),
    span: fitSpan(secrets.redactJson(json), SPAN_CHARS_MAX),
  };
}
