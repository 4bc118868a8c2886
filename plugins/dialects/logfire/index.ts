import {
  asConversation,
  completionOf,
  conversationOf,
  defineDialect,
  hasAny,
  objectOf,
  saidJson,
  takeAt,
  textAt,
  textOf,
  textsAt,
  without,
  type Given,
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
      attributes: ['logfire.*', 'pydantic_ai.*', 'request_data', 'all_messages_events', 'tool_arguments'],
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
  return {
    kind: kindOf(attributes, asked, agent),
    model: textOf(asked['model']) || undefined,
    input: requestMessages(request) ?? agentInput(attributes) ?? takeAt(attributes, 'tool_arguments', saidJson),
    output: answerOf(attributes) ?? takeAt(attributes, FINAL_RESULT) ?? takeAt(attributes, 'tool_response'),
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

/** The body of the request to the provider; its parameters are in the attribute, which therefore stays. */
function requestMessages(request: Given | undefined): Given | undefined {
  const { messages, input, system, instructions } = objectOf(request?.value);
  const reported = messages ?? input;
  return reported === undefined ? undefined : { value: conversationOf(reported, system ?? instructions) };
}

/** What an agent was asked: its messages without the answers that it ended with. */
function agentInput(attributes: OtelMap): Given | undefined {
  const all = takeAt(attributes, ALL_MESSAGES, saidJson);
  return all && asConversation(all);
}

/** `response_data` has the message and what it cost, or the text that a stream came to. */
function answerOf(attributes: OtelMap): Given | undefined {
  const given = takeAt(attributes, 'response_data', saidJson);
  if (!given) return undefined;
  const answer = objectOf(given.value);
  const text = answer['combined_chunk_content'];
  const message = typeof text === 'string' ? { role: 'assistant', content: text } : answer['message'];
  if (message === undefined) return undefined;
  const isWhole = Object.keys(without(answer, 'message', 'combined_chunk_content')).length === 0;
  return { value: completionOf(message), from: isWhole ? given.from : undefined };
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
