import {
  asConversation,
  completionOf,
  conversationOf,
  defineDialect,
  idAt,
  listOf,
  looseJson,
  namesOf,
  plainText,
  takeAt,
  takeMembers,
  textAt,
  textsAt,
  type Given,
  type GivenMembers,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/** Sentry's SDKs: GenAI attributes with names of their own for messages, answers and tools (docs/spec/otlp.md#sentry). */
export default defineDialect({
  name: 'sentry',
  setup: () => ({
    claims: {
      attributes: [
        ...['sentry.op', 'gen_ai.request.messages', 'gen_ai.request.available_tools', 'gen_ai.embeddings.input'],
        ...['gen_ai.response.text', 'gen_ai.response.object', 'gen_ai.response.tool_calls'],
        ...['gen_ai.tool.input', 'gen_ai.tool.output'],
      ],
    },
    read,
  }),
});

function read({ attributes }: OtelSpan): SpanReading {
  return {
    kind: kindOf(attributes),
    input: inputOf(attributes),
    output: answerOf(attributes) ?? takeAt(attributes, 'gen_ai.tool.output'),
    request: requestOf(attributes),
    user: idAt(attributes, 'sentry.user.id'),
  };
}

const TOOLS = 'gen_ai.request.available_tools';

/** By `sentry.op`, `gen_ai.chat`, where there is no operation of the conventions, which says more. */
function kindOf(attributes: OtelMap): ReadKind | undefined {
  const op = textAt(attributes, 'sentry.op');
  if (op === undefined || !op.startsWith('gen_ai.') || textAt(attributes, 'gen_ai.operation.name') !== undefined)
    return undefined;
  const operation = op.slice('gen_ai.'.length);
  if (operation === 'execute_tool') return { type: 'tool_call', name: textAt(attributes, 'gen_ai.tool.name') };
  if (operation.startsWith('embed')) return { type: 'embedding' };
  if (CALLS_OF_MODELS.has(operation)) return { type: 'llm_call' };
  const kind = operation.endsWith('_agent') ? 'agent' : operation;
  return { type: 'custom', kind, name: textAt(attributes, 'gen_ai.agent.name') };
}

const CALLS_OF_MODELS = new Set([
  ...['chat', 'responses', 'messages', 'completion', 'text_completion', 'generate_content'],
  ...['generate_text', 'stream_text', 'generate_object', 'stream_object'],
]);

function inputOf(attributes: OtelMap): Given | undefined {
  const taken = takeAt(attributes, 'gen_ai.request.messages');
  if (!taken) return takeAt(attributes, 'gen_ai.embeddings.input') ?? takeAt(attributes, 'gen_ai.tool.input');
  const messages = asConversation(taken);
  const system = takeAt(attributes, 'gen_ai.system_instructions');
  if (!system || messages.value[0]?.role === 'system') return messages;
  return { value: [...conversationOf(null, system.value), ...messages.value], from: namesOf(messages, system) };
}

/** Several texts are a list as JSON text, one for each choice; the calls are those of the first. */
function answerOf(attributes: OtelMap): Given | undefined {
  const text =
    takeAt(attributes, 'gen_ai.response.text', plainText) ?? takeAt(attributes, 'gen_ai.response.object', plainText);
  const calls = takeAt(attributes, 'gen_ai.response.tool_calls');
  if (!text && !calls) return undefined;
  const [first = null, ...others] = textsOf(text?.value);
  const messages = [
    { role: 'assistant', content: first, ...(calls && { tool_calls: calls.value }) },
    ...others.map((content) => ({ role: 'assistant', content })),
  ];
  const reason = textAt(attributes, ['gen_ai.response.finish_reason', 'gen_ai.response.stop_reason']);
  const reasons = textsAt(attributes, 'gen_ai.response.finish_reasons') ?? (reason === undefined ? [] : [reason]);
  return { value: completionOf(messages, reasons), from: namesOf(text, calls) };
}

/** Texts of choices, where a text is a list of texts alone; else the value, one of parts as these. */
function textsOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  const parsed = typeof value === 'string' ? looseJson(value) : value;
  const isTexts = listOf(parsed).length > 0 && listOf(parsed).every((item) => typeof item === 'string');
  if (isTexts) return listOf(parsed);
  return [Array.isArray(parsed) ? parsed : value];
}

/** The parameters with the tools, which are JSON text. */
function requestOf(attributes: OtelMap): GivenMembers | undefined {
  const tools = takeAt(attributes, TOOLS);
  if (!tools) return takeMembers(attributes, REQUEST, isOther);
  const others = takeMembers(attributes, REQUEST, isOther);
  return { value: { ...others?.value, tools: tools.value }, from: namesOf(others, tools) };
}

const REQUEST = 'gen_ai.request.';
const OTHERS = new Set(['model', 'stream', 'messages', 'available_tools', 'tools']);
const isOther = (member: string): boolean => OTHERS.has(member);
