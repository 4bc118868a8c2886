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
  listOf,
  looseValue,
  objectOf,
  plainMap,
  plainValue,
  setMember,
  textOf,
  type ChatMessage,
  type OtelEvent,
  toolCallsOf,
  valueOfResult,
  without,
} from '@spandrel/plugin-api';

/** What the operation was given: a tool's arguments, a query, or messages with the system prompt before them. */
export function inputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') {
    const args = takeAt(attributes, ARGUMENTS);
    const messages = args === undefined ? conversationIn(span) : undefined;
    return messages ? argumentsIn(messages, kind) : args;
  }
  if (kind?.type === 'retrieval')
    return takeAt(attributes, 'gen_ai.retrieval.query.text', plainText) ?? conversationIn(span);
  return conversationIn(span);
}

/** What came of the operation: a tool's result, documents, or the completion with its reason to end. */
export function outputOf(span: OtelSpan, kind: ReadKind | undefined): Given | undefined {
  const { attributes } = span;
  if (kind?.type === 'tool_call') {
    const result = takeAt(attributes, RESULT);
    const messages = result === undefined ? answersIn(span) : undefined;
    return messages ? resultIn(messages, kind) : result;
  }
  if (kind?.type === 'retrieval') return takeAt(attributes, 'gen_ai.retrieval.documents') ?? completionIn(span);
  return completionIn(span);
}

function conversationIn(span: OtelSpan): Given | undefined {
  const places = placesOf(span);
  const system = takeFirst(places, ['gen_ai.system_instructions']);
  const messages = takeFirst(places, ['gen_ai.input.messages']);
  if (messages) return withSystem(messages, system);
  const reported = messagesOfEvents(span.events);
  if (reported) return reported;
  const prompt = takeAt(span.attributes, PROMPT) ?? takeFromEvents(span, PROMPT, PROMPTED);
  return prompt && withSystem(prompt, system);
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
  // The command line of Gemini gives a stream piece by piece, under an operation of its own.
  if (textAt(span.attributes, 'gen_ai.operation.name') === 'llm_call') {
    const pieces = listOf(messages?.value).map((piece) => (piece === null ? [] : objectOf(piece)['parts']));
    if (pieces.length > 1 && pieces.every(Array.isArray)) return { value: [{ role: 'model', parts: pieces.flat() }] };
  }
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
const isCall = (attributes: OtelMap): boolean => textAt(attributes, 'gen_ai.request.model') !== undefined;

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
  return event && takeAt(event.attributes, ['gen_ai.event.content', 'content', 'body']);
}

const PROMPTED = 'gen_ai.content.prompt';
const COMPLETED = 'gen_ai.content.completion';
const CONTENT_EVENTS = new Set([PROMPTED, COMPLETED]);
const OUTPUT = ['gen_ai.output.messages'];
/** Names of Cloudflare's gateway and of Pipecat among them. */
const PROMPT = ['gen_ai.prompt', 'gen_ai.prompt_json', 'input'];
const COMPLETION = ['gen_ai.completion', 'gen_ai.completion_json', 'output'];
const ARGUMENTS = ['gen_ai.tool.call.arguments', 'gen_ai.tool.args', 'spring.ai.tool.call.arguments'];
const RESULT = ['gen_ai.tool.call.result', 'spring.ai.tool.call.result'];
const REASONS = 'gen_ai.response.finish_reasons';
const REASON = 'gen_ai.response.finish_reason';

/** The older conventions report every message by an event of its own: `gen_ai.user.message`. */
const MESSAGE = /^gen_ai\.([a-z_]+)\.message$/;
const CHOICE = 'gen_ai.choice';
/** Azure's clients and their like write the members of an event's body as JSON text into this attribute. */
const CONTENT = 'gen_ai.event.content';

/** The messages that events report, in their order; `undefined` when there is none. */
function messagesOfEvents(events: readonly OtelEvent[]): Given<ChatMessage[]> | undefined {
  if (events.length === 0) return undefined;
  const messages: unknown[] = [];
  const fromEvents = new Set<string>();
  for (const { name, attributes } of events) {
    const role = MESSAGE.exec(name)?.[1];
    if (role === undefined) continue;
    messages.push(messageOf(role, attributes));
    fromEvents.add(name);
  }
  return messages.length === 0 ? undefined : { value: conversationOf(messages), fromEvents: [...fromEvents] };
}

/** The choices that events report, as messages; `undefined` when there is none. */
function choicesOfEvents(events: readonly OtelEvent[]): Given<unknown[]> | undefined {
  const choices = events.filter(({ name }) => name === CHOICE);
  if (choices.length === 0) return undefined;
  return { value: choices.map(({ attributes }) => choiceOf(attributes)), fromEvents: [CHOICE] };
}

/** Strands writes contents as JSON text, and the id of a tool's call as `id`. */
function messageOf(eventRole: string, attributes: OtelMap): Record<string, unknown> {
  const { role, id, content, ...rest } = saidIn(attributes);
  return {
    ...rest,
    role: textOf(role) ?? eventRole,
    content: content ?? null,
    ...(id !== undefined && (eventRole === 'tool' ? { tool_call_id: id } : { id })),
  };
}

function choiceOf(attributes: OtelMap): Record<string, unknown> {
  const { role, content, finish_reason: reason, ...rest } = saidIn(attributes);
  return { ...rest, content: content ?? null, role: textOf(role) ?? 'assistant', finish_reason: reason ?? null };
}

/**
 * The members of an event's body with those of its message among them, which stands in `message`, in `content` (`{role,
 * parts}` of Gemini), or is the body itself.
 */
function saidIn(attributes: OtelMap): Record<string, unknown> {
  const members = membersOf(attributes);
  for (const name of ['message', 'content', 'body']) {
    const { [name]: said, ...rest } = members;
    if (isMessage(said)) return withMembers({ ...objectOf(said) }, rest);
    const isContent = said !== undefined && said !== null && (members['content'] ?? null) === null;
    if (isContent) return { ...rest, content: said };
  }
  return members;
}

function isMessage(value: unknown): boolean {
  const { role, content, parts, tool_calls: calls } = objectOf(value);
  return Array.isArray(parts) || Array.isArray(calls) || content !== undefined || typeof role === 'string';
}

/** Members of an event's body, JSON in texts parsed. Other names with a dot are the event's own attributes. */
function membersOf(attributes: OtelMap): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(plainMap(attributes))) {
    if (!name.includes('.')) setMember(members, name, looseValue(value));
  }
  const content = attributes.get(CONTENT);
  if (content === undefined) return members;
  const body = looseValue(plainValue(content));
  return withMembers(members, objectOf(body) === body ? objectOf(body) : { body });
}

/** Members with more of them; one whose name is taken gets another. */
function withMembers(
  members: Record<string, unknown>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(more)) {
    if (!Object.hasOwn(members, name)) setMember(members, name, value);
    else if (members[name] !== value) setMember(members, `event_${name}`, value);
  }
  return members;
}

type ToolKind = Extract<ReadKind, { type: 'tool_call' }>;

/** The arguments of a tool, where its span reports them as a message: its content, or those of the call in it. */
function argumentsIn(messages: Given, kind: ToolKind): Given {
  const [only, ...others] = conversationOf(messages.value);
  if (only === undefined || others.length > 0) return messages;
  const [call, ...more] = toolCallsOf(only['tool_calls']);
  if (call === undefined) return alone(messages, only.content, without(only, 'content'), kind);
  if (more.length > 0 || only.content !== null) return messages;
  const args = looseValue(call.arguments);
  return alone(
    messages,
    args,
    { ...without(only, 'content', 'tool_calls'), ...without({ ...call }, 'arguments') },
    kind,
  );
}

/** What a tool gave back, where its span reports it as a message. */
function resultIn(messages: Given, kind: ToolKind): Given {
  const [only, ...others] = conversationOf(messages.value);
  const isResult = only !== undefined && others.length === 0 && toolCallsOf(only['tool_calls']).length === 0;
  return isResult ? alone(messages, valueOfResult(only.content), without(only, 'content'), kind) : messages;
}

/** A value of a message without the message, which stays where it was when it says more than the kind of the span does. */
function alone(messages: Given, value: unknown, rest: Readonly<Record<string, unknown>>, kind: ToolKind): Given {
  const known: readonly unknown[] = [kind.name, kind.callId, null, undefined];
  const isKnown = Object.entries(rest).every(
    ([name, said]) => name === 'role' || name === 'finish_reason' || known.includes(said),
  );
  return isKnown ? { ...messages, value } : { value };
}
