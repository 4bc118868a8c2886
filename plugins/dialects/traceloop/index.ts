import {
  attributeNames,
  completionOf,
  conversationOf,
  countAt,
  defineDialect,
  listOf,
  looseJson,
  objectOf,
  saidJson,
  takeAt,
  takeMembers,
  takeTree,
  textAt,
  textOf,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/** OpenLLMetry; its newer versions report calls of models by GenAI conventions alone (docs/spec/otlp.md#traceloop). */
export default defineDialect({
  name: 'traceloop',
  setup: () => ({
    claims: { attributes: ['traceloop.*', 'llm.request.type', 'gen_ai.prompt.0.*', 'gen_ai.completion.0.*'] },
    read,
  }),
});

function read({ attributes, name }: OtelSpan): SpanReading {
  const cached = countAt(attributes, CACHED);
  const input = countAt(attributes, INPUT_TOKENS);
  const output = countAt(attributes, OUTPUT_TOKENS);
  return {
    kind: kindOf(attributes, name),
    usage:
      cached === undefined || (input === undefined && output === undefined)
        ? undefined
        : { inputTokens: input, outputTokens: output, cachedInputTokens: cached },
    input: promptOf(attributes) ?? takeAt(attributes, ENTITY_INPUT, saidJson),
    output: completionIn(attributes) ?? takeAt(attributes, ENTITY_OUTPUT, saidJson),
    metadata: takeMembers(attributes, ASSOCIATED, isTheTraces),
    session: textAt(attributes, SESSION),
    user: textAt(attributes, USER),
  };
}

const ASSOCIATED = 'traceloop.association.properties.';
const SESSION = attributeNames(`${ASSOCIATED}session_id`);
const USER = attributeNames(`${ASSOCIATED}user_id`);
const isTheTraces = (member: string): boolean => member === 'session_id' || member === 'user_id';
const REQUEST_TYPE = attributeNames('llm.request.type');
const SPAN_KIND = attributeNames('traceloop.span.kind');
const ENTITY_NAME = attributeNames('traceloop.entity.name');
const ENTITY_INPUT = attributeNames('traceloop.entity.input');
const ENTITY_OUTPUT = attributeNames('traceloop.entity.output');
/** Names of OpenLLMetry's own for what the conventions count too; the other counts have the conventions' names. */
const CACHED = attributeNames('llm.usage.cache_read_input_tokens');
const INPUT_TOKENS = attributeNames(
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.usage.prompt_tokens',
);
const OUTPUT_TOKENS = attributeNames(
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.usage.completion_tokens',
);

function kindOf(attributes: OtelMap, spanName: string): ReadKind | undefined {
  switch (textAt(attributes, REQUEST_TYPE)) {
    case 'chat':
    case 'completion':
      return { type: 'llm_call' };
    case 'embedding':
      return { type: 'embedding' };
    case 'rerank':
      return { type: 'retrieval' };
  }
  const kind = textAt(attributes, SPAN_KIND);
  const name = textAt(attributes, ENTITY_NAME);
  if (kind === 'tool') return { type: 'tool_call', name: name ?? spanName };
  return kind === undefined ? undefined : { type: 'custom', kind, name };
}

function promptOf(attributes: OtelMap): Given | undefined {
  const tree = takeTree(attributes, 'gen_ai.prompt.');
  return tree && { ...tree, value: conversationOf(listOf(tree.value).map((item) => messageOf(item, 'user'))) };
}

function completionIn(attributes: OtelMap): Given | undefined {
  const tree = takeTree(attributes, 'gen_ai.completion.');
  return tree && { ...tree, value: completionOf(listOf(tree.value).map((item) => messageOf(item, 'assistant'))) };
}

/** Contents that are lists of parts are JSON text, and that of a message which only calls tools is `null` in it. */
function messageOf(item: unknown, role: string): unknown {
  if (typeof item === 'string') return { role, content: item };
  const { content, ...rest } = objectOf(item);
  return {
    ...rest,
    role: textOf(rest['role']) ?? role,
    content: typeof content === 'string' ? listOrText(content) : (content ?? null),
  };
}

/** A text that is an object may be what the model said. */
function listOrText(text: string): unknown {
  if (text === 'null') return null;
  const value = looseJson(text);
  return Array.isArray(value) ? value : text;
}
