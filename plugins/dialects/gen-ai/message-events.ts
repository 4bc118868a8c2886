import {
  conversationOf,
  looseJson,
  objectOf,
  plainMap,
  plainValue,
  setMember,
  textOf,
  type ChatMessage,
  type Given,
  type OtelEvent,
  type OtelMap,
} from '@spandrel/plugin-api';

/** The older conventions report every message by an event of its own: `gen_ai.user.message`. */
const MESSAGE = /^gen_ai\.([a-z_]+)\.message$/;
const CHOICE = 'gen_ai.choice';
/** Azure's clients and their like write the members of an event's body as JSON text into this attribute. */
const CONTENT = 'gen_ai.event.content';

/** The messages that events report, in their order; `undefined` when there is none. */
export function messagesOfEvents(events: readonly OtelEvent[]): Given<ChatMessage[]> | undefined {
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
export function choicesOfEvents(events: readonly OtelEvent[]): Given<unknown[]> | undefined {
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
    if (!name.includes('.')) setMember(members, name, parsed(value));
  }
  const content = attributes.get(CONTENT);
  if (content === undefined) return members;
  const body = parsed(plainValue(content));
  return withMembers(members, objectOf(body) === body ? objectOf(body) : { body });
}

const parsed = (value: unknown): unknown => (typeof value === 'string' ? looseJson(value) : value);

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
