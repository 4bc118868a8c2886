import {
  conversationOf,
  looseJson,
  objectOf,
  plainMap,
  textOf,
  type Given,
  type OtelEvent,
  type OtelMap,
} from '@spandrel/plugin-api';

/** The older conventions report every message by an event of its own. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
]);
const CHOICE = 'gen_ai.choice';

/** The messages that events report, in their order; `undefined` when there is none. */
export function messagesOfEvents(events: readonly OtelEvent[]): Given | undefined {
  if (events.length === 0) return undefined;
  const messages: unknown[] = [];
  const fromEvents = new Set<string>();
  for (const { name, attributes } of events) {
    const role = ROLES.get(name);
    if (role === undefined) continue;
    messages.push(messageOf(role, attributes));
    fromEvents.add(name);
  }
  return messages.length === 0 ? undefined : { value: conversationOf(messages), fromEvents: [...fromEvents] };
}

/** The choices that events report, as messages; `undefined` when there is none. */
export function choicesOfEvents(events: readonly OtelEvent[]): Given | undefined {
  const choices = events.filter(({ name }) => name === CHOICE);
  if (choices.length === 0) return undefined;
  return { value: choices.map(({ attributes }) => choiceOf(attributes)), fromEvents: [CHOICE] };
}

/** Strands writes contents as JSON text, and the id of a tool's call as `id`. */
function messageOf(role: string, attributes: OtelMap): Record<string, unknown> {
  const { content, role: reported, id, ...rest } = membersOf(attributes);
  return {
    ...rest,
    role: textOf(reported) ?? role,
    content: content ?? null,
    ...(id !== undefined && (role === 'tool' ? { tool_call_id: id } : { id })),
  };
}

function choiceOf(attributes: OtelMap): Record<string, unknown> {
  const { message, finish_reason: reason, ...rest } = membersOf(attributes);
  const said = typeof message === 'object' && message !== null && !Array.isArray(message) ? objectOf(message) : null;
  return {
    ...rest,
    ...(said ?? { content: message ?? null }),
    role: textOf(said?.['role']) ?? 'assistant',
    finish_reason: reason ?? null,
  };
}

/** Members of an event's body, JSON in texts parsed. Names with a dot are the event's own attributes. */
function membersOf(attributes: OtelMap): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(plainMap(attributes))) {
    if (name.includes('.')) continue;
    members[name] = typeof value === 'string' ? looseJson(value) : value;
  }
  return members;
}
