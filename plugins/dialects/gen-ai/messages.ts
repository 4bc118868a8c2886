import {
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  namesOf,
  plainText,
  saidByModel,
  saidJson,
  takeAt,
  textAt,
  textsAt,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
} from '@spandrel/plugin-api';
import { choicesOfEvents, messagesOfEvents } from './message-events.js';
import { argumentsIn, resultIn } from './tool-payloads.js';

/** What the operation was given: a tool's arguments, a query, or messages with the system prompt before them. */
export function inputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') {
    const args = takeAt(attributes, TOOL_ARGUMENTS);
    const messages = args === undefined ? conversationIn(span) : undefined;
    return messages ? argumentsIn(messages, kind) : args;
  }
  if (kind?.type === 'retrieval') return takeAt(attributes, QUERY, plainText) ?? conversationIn(span);
  return conversationIn(span);
}

/** What came of the operation: a tool's result, documents, or the completion with its reason to end. */
export function outputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') {
    const result = takeAt(attributes, TOOL_RESULT);
    const messages = result === undefined ? answersIn(span) : undefined;
    return messages ? resultIn(messages, kind) : result;
  }
  if (kind?.type === 'retrieval') return takeAt(attributes, DOCUMENTS) ?? completionIn(span);
  return completionIn(span);
}

function conversationIn(span: OtelSpan): Given | undefined {
  const places = placesOf(span);
  const messages = takeFirst(places, INPUT);
  if (messages) return withSystem(messages, takeFirst(places, SYSTEM));
  const reported = messagesOfEvents(span.events);
  if (reported) return reported;
  const prompt = takeAt(span.attributes, PROMPT) ?? takeFromEvents(span, PROMPT, PROMPTED);
  return prompt && asConversation(prompt);
}

function takeFirst(places: readonly OtelMap[], names: readonly string[]): Given | undefined {
  for (const attributes of places) {
    const taken = takeAt(attributes, names, saidJson);
    if (taken) return taken;
  }
  return undefined;
}

/**
 * Messages behind the system prompt, which some senders put among them as well. A prompt without messages is no input: they
 * come by log records, and what a span gives counts before these.
 */
function withSystem(given: Given, system: Given | undefined): Given {
  const messages = asConversation(given);
  if (!system || messages.value[0]?.role === 'system') return messages;
  return { value: [...conversationOf(null, system.value), ...messages.value], from: namesOf(messages, system) };
}

function completionIn(span: OtelSpan): Given | undefined {
  const { attributes } = span;
  const reasons = textsAt(attributes, REASONS) ?? textsAt(attributes, REASON) ?? [];
  const answers = answersIn(span);
  if (answers) return asCompletion(answers, reasons.length > 0 ? reasons : reasonsOfEvents(span));
  const empty = completionOf([], reasons);
  return empty && isCall(attributes) ? { value: empty } : undefined;
}

/** What the model or the tool said, as messages of any form; `undefined` when the span reports none. */
function answersIn(span: OtelSpan): Given | undefined {
  const messages = takeFirst(placesOf(span), OUTPUT) ?? choicesOfEvents(span.events);
  if (messages) return messages;
  const text = takeAt(span.attributes, COMPLETION) ?? takeFromEvents(span, COMPLETION, COMPLETED);
  return text && { ...text, value: saidByModel(text.value) };
}

/** Reasons that stand beside the messages in an event, where the span itself reports none. */
function reasonsOfEvents(span: OtelSpan): readonly string[] {
  for (const attributes of placesOf(span)) {
    if (takeAt(attributes, OUTPUT, plainText)) return textsAt(attributes, REASONS) ?? [];
  }
  return [];
}

/** A reason alone makes an output only where the span is about a model. */
const isCall = (attributes: OtelMap): boolean => textAt(attributes, MODEL) !== undefined;

/** The span's own attributes first, then those of its events that report all of an operation. */
function placesOf({ attributes, events }: OtelSpan): OtelMap[] {
  if (events.length === 0) return [attributes];
  const details = events.filter(({ name }) => name === 'gen_ai.client.inference.operation.details');
  return [attributes, ...details.map((event) => event.attributes)];
}

/** A content that an event of an older convention has: by the name for it in any of them, else as its body. */
function takeFromEvents({ events }: OtelSpan, names: readonly string[], eventName: string): Given | undefined {
  for (const event of events) {
    if (!CONTENT_EVENTS.has(event.name)) continue;
    const taken = takeAt(event.attributes, names);
    if (taken) return taken;
  }
  const event = events.find(({ name }) => name === eventName);
  return event && takeAt(event.attributes, BODY);
}

const PROMPTED = 'gen_ai.content.prompt';
const COMPLETED = 'gen_ai.content.completion';
const CONTENT_EVENTS = new Set([PROMPTED, COMPLETED]);
const BODY = ['gen_ai.event.content', 'content', 'body'];
const MODEL = ['gen_ai.request.model'];
const INPUT = ['gen_ai.input.messages'];
const SYSTEM = ['gen_ai.system_instructions'];
const OUTPUT = ['gen_ai.output.messages'];
const PROMPT = ['gen_ai.prompt'];
const COMPLETION = ['gen_ai.completion'];
const REASONS = 'gen_ai.response.finish_reasons';
const REASON = 'gen_ai.response.finish_reason';
const TOOL_ARGUMENTS = ['gen_ai.tool.call.arguments'];
const TOOL_RESULT = ['gen_ai.tool.call.result'];
const QUERY = ['gen_ai.retrieval.query.text'];
const DOCUMENTS = ['gen_ai.retrieval.documents'];
