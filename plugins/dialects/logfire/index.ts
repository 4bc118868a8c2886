import {
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  defineDialect,
  filledTextOf,
  hasAny,
  listOf,
  objectOf,
  promptOfRequest,
  reportedOpenAiUsage,
  saidJson,
  takeAt,
  textAt,
  textOf,
  textsAt,
  without,
  type Given,
  type JsonObject,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/** Logfire's SDKs, and Pydantic AI with or without them (docs/spec/otlp.md#logfire). */
export default defineDialect({
  name: 'logfire',
  setup: () => ({
    claims: {
      attributes: ['logfire.*', 'pydantic_ai.*', 'request_data', 'all_messages_events', 'events', 'tool_arguments'],
      scopes: ['pydantic-ai', 'logfire*'],
    },
    read,
  }),
});

function read(span: OtelSpan): SpanReading {
  const { attributes } = span;
  const request = takeAt(attributes, 'request_data', saidJson);
  const asked = objectOf(request?.value);
  const agent = textAt(attributes, ['agent_name', 'gen_ai.agent.name']);
  const isOfAgents = span.scope.name === AGENTS;
  const answer = takeAt(attributes, isOfAgents ? 'response' : 'response_data', saidJson);
  const ofAgents = isOfAgents ? readAgents(span, objectOf(answer?.value)) : undefined;
  const inEvents = messagesInEvents(attributes);
  return {
    kind: ofAgents?.kind ?? kindOf(attributes, asked, agent),
    model: textOf(asked['model']) || undefined,
    usage: reportedOpenAiUsage(objectOf(answer?.value)['usage']),
    input:
      ofAgents?.input ??
      (request && (asked['messages'] ?? asked['input']) !== undefined ? promptOfRequest(request) : undefined) ??
      agentInput(attributes) ??
      inEvents?.input ??
      takeAt(attributes, 'tool_arguments', saidJson),
    output:
      ofAgents?.output ??
      answerOf(answer) ??
      takeAt(attributes, FINAL_RESULT) ??
      inEvents?.output ??
      takeAt(attributes, 'tool_response'),
    failure: ofAgents && (filledTextOf(objectOf(takeAt(attributes, 'error', saidJson)?.value)['message']) ?? undefined),
    streaming: typeof asked['stream'] === 'boolean' ? asked['stream'] : undefined,
    tags: textsAt(attributes, 'logfire.tags'),
    pendingOf: pendingOf(span),
  };
}

const FINAL_RESULT = ['final_result', 'pydantic_ai.final_result'];
const ALL_MESSAGES = ['pydantic_ai.all_messages', 'all_messages_events'];

/** Newer versions report the operation by the conventions' attribute, which the general dialect reads. */
function kindOf(
  attributes: OtelMap,
  asked: Readonly<Record<string, unknown>>,
  agent: string | undefined,
): ReadKind | undefined {
  if (attributes.has('gen_ai.operation.name')) return undefined;
  const isCall = Array.isArray(asked['messages']) || attributes.has('response_data');
  if (isCall) return { type: 'llm_call' };
  if (hasAny(attributes, ALL_MESSAGES)) return { type: 'custom', kind: 'agent', name: agent };
  return undefined;
}

/** What an agent was asked: its messages without the answers that it ended with. */
function agentInput(attributes: OtelMap): Given | undefined {
  const all = takeAt(attributes, ALL_MESSAGES, saidJson);
  return all && asConversation(all);
}

/** `response_data` has the message and what it cost, or the text that a stream came to. */
function answerOf(given: Given | undefined): Given | undefined {
  const answer = objectOf(given?.value);
  const text = answer['combined_chunk_content'];
  const message = typeof text === 'string' ? { role: 'assistant', content: text } : answer['message'];
  if (message === undefined) return undefined;
  const isWhole = Object.keys(without(answer, 'message', 'combined_chunk_content')).length === 0;
  return { value: completionOf(message), from: isWhole ? given?.from : undefined };
}

/** Messages as events of the conventions, of which the last ones are what the model said. */
function messagesInEvents(attributes: OtelMap): Pick<SpanReading, 'input' | 'output'> | undefined {
  const given = takeAt(attributes, 'events', saidJson);
  const events = listOf(given?.value).map(objectOf);
  const isOfMessages = events.length > 0 && events.every((event) => textOf(event['event.name'])?.startsWith('gen_ai.'));
  if (!given || !isOfMessages) return undefined;
  const messages = events.map(messageOf);
  const answerAt = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  return {
    input: asConversation({ ...given, value: messages.slice(0, answerAt) }),
    output: asCompletion({ ...given, value: messages.slice(answerAt) }),
  };
}

function messageOf({ 'event.name': name, 'gen_ai.message.index': _at, message, id, ...event }: JsonObject): JsonObject {
  const role = name === CHOICE ? 'assistant' : textOf(name)!.split('.')[1];
  const said = { role, ...event, ...objectOf(message) };
  return id === undefined ? said : { ...said, [said.role === 'tool' ? 'tool_call_id' : 'id']: id };
}

const CHOICE = 'gen_ai.choice';
/** The scope of Logfire's integration of OpenAI's Agents SDK. */
const AGENTS = 'logfire.openai_agents';

/** What a span of OpenAI's Agents SDK was given and gave back, by names of that SDK; the span's name says what it is. */
function readAgents(
  { name, attributes }: OtelSpan,
  { output, instructions }: JsonObject,
): Pick<SpanReading, 'kind' | 'input' | 'output'> {
  const given = takeAt(attributes, ['raw_input', 'input'], saidJson);
  if (Array.isArray(output)) {
    const input = given && { ...given, value: conversationOf(given.value, instructions) };
    return { input, output: asCompletion({ value: output }) };
  }
  const title = textAt(attributes, 'name');
  if (name.startsWith('Function:')) {
    return { kind: { type: 'tool_call', name: title }, input: given, output: takeAt(attributes, 'output') };
  }
  const gave = takeAt(attributes, 'output', saidJson);
  if (name.startsWith('Agent run:')) return { kind: { type: 'custom', kind: 'agent', name: title } };
  if (!attributes.has('request_data')) return { input: given, output: gave };
  return { kind: { type: 'llm_call' }, input: given && asConversation(given), output: gave && asCompletion(gave) };
}

/** A pending span has an id of its own and is a child of the span that it announces. */
function pendingOf({ attributes, parentSpanId }: OtelSpan): SpanReading['pendingOf'] {
  if (textAt(attributes, 'logfire.span_type') !== 'pending_span' || parentSpanId === null) return undefined;
  const parent = textAt(attributes, 'logfire.pending_parent_id');
  const isNone = parent === undefined || !isSpanId(parent) || parent === NO_SPAN;
  return { spanId: parentSpanId, parentSpanId: isNone ? null : parent };
}

const NO_SPAN = '0000000000000000';

const isSpanId = (text: string): boolean => text.length === 16 && /^[0-9a-f]+$/.test(text);
