import {
  attributeNames,
  completionOf,
  conversationOf,
  namesOf,
  saidByModel,
  saidJson,
  takeAt,
  textAt,
  textsAt,
  type AttributeNames,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
} from '@spandrel/plugin-api';
import { choicesOfEvents, messagesOfEvents } from './message-events.js';

/** What the operation was given: a tool's arguments, a query, or messages with the system prompt before them. */
export function inputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') return takeAt(attributes, TOOL_ARGUMENTS) ?? conversationIn(span);
  if (kind?.type === 'retrieval') return takeAt(attributes, QUERY, asText) ?? conversationIn(span);
  return conversationIn(span);
}

/** What came of the operation: a tool's result, documents, or the completion with its reason to end. */
export function outputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') return takeAt(attributes, TOOL_RESULT) ?? completionIn(span);
  if (kind?.type === 'retrieval') return takeAt(attributes, DOCUMENTS) ?? completionIn(span);
  return completionIn(span);
}

function conversationIn(span: OtelSpan): Given | undefined {
  const messages = takeFirst(placesOf(span), INPUT);
  if (messages) return withSystem(messages, takeFirst(placesOf(span), SYSTEM));
  const reported = messagesOfEvents(span.events);
  if (reported) return reported;
  const prompt = takeAt(span.attributes, PROMPT) ?? takeFromEvents(span, PROMPT);
  return prompt && { ...prompt, value: conversationOf(prompt.value) };
}

function takeFirst(places: readonly OtelMap[], names: AttributeNames): Given | undefined {
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
function withSystem(messages: Given, system: Given | undefined): Given {
  const conversation = conversationOf(messages.value);
  if (!system || conversation[0]?.role === 'system') return { ...messages, value: conversation };
  return { value: [...conversationOf(null, system.value), ...conversation], from: namesOf(messages, system) };
}

function completionIn(span: OtelSpan): Given | undefined {
  const reasons = textsAt(span.attributes, REASONS) ?? textsAt(span.attributes, REASON) ?? [];
  for (const attributes of placesOf(span)) {
    const messages = takeAt(attributes, OUTPUT, saidJson);
    if (!messages) continue;
    const own = reasons.length > 0 ? reasons : (textsAt(attributes, REASONS) ?? []);
    return { ...messages, value: completionOf(messages.value, own) };
  }
  const reported = choicesOfEvents(span.events);
  if (reported) return { ...reported, value: completionOf(reported.value, reasons) };
  const text = takeAt(span.attributes, COMPLETION) ?? takeFromEvents(span, COMPLETION);
  if (text) return { ...text, value: completionOf(saidByModel(text.value), reasons) };
  const empty = completionOf([], reasons);
  return empty && isCall(span.attributes) ? { value: empty } : undefined;
}

/** A reason alone makes an output only where the span is about a model. */
const isCall = (attributes: OtelMap): boolean => textAt(attributes, MODEL) !== undefined;

/** The span's own attributes first, then those of its events that report all of an operation. */
function placesOf({ attributes, events }: OtelSpan): OtelMap[] {
  if (events.length === 0) return [attributes];
  const details = events.filter(({ name }) => name === 'gen_ai.client.inference.operation.details');
  return [attributes, ...details.map((event) => event.attributes)];
}

function takeFromEvents({ events }: OtelSpan, names: AttributeNames): Given | undefined {
  for (const event of events) {
    if (!CONTENT_EVENTS.has(event.name)) continue;
    const taken = takeAt(event.attributes, names);
    if (taken) return taken;
  }
  return undefined;
}

const asText = (text: string): unknown => text;

const CONTENT_EVENTS = new Set(['gen_ai.content.prompt', 'gen_ai.content.completion']);
const MODEL = attributeNames('gen_ai.request.model');
const INPUT = attributeNames('gen_ai.input.messages');
const SYSTEM = attributeNames('gen_ai.system_instructions');
const OUTPUT = attributeNames('gen_ai.output.messages');
const PROMPT = attributeNames('gen_ai.prompt');
const COMPLETION = attributeNames('gen_ai.completion');
const REASONS = 'gen_ai.response.finish_reasons';
const REASON = 'gen_ai.response.finish_reason';
const TOOL_ARGUMENTS = attributeNames('gen_ai.tool.call.arguments');
const TOOL_RESULT = attributeNames('gen_ai.tool.call.result');
const QUERY = attributeNames('gen_ai.retrieval.query.text');
const DOCUMENTS = attributeNames('gen_ai.retrieval.documents');
