import {
  completionOf,
  conversationOf,
  defineDialect,
  idAt,
  looseJson,
  objectOf,
  saidJson,
  takeAt,
  takeList,
  takeMembers,
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
  return {
    kind: kindOf(attributes, name),
    input: promptOf(attributes) ?? takeAt(attributes, 'traceloop.entity.input', saidJson),
    output: completionIn(attributes) ?? takeAt(attributes, 'traceloop.entity.output', saidJson),
    metadata: takeMembers(attributes, ASSOCIATED, isTheTraces),
    session: idAt(attributes, `${ASSOCIATED}session_id`),
    user: idAt(attributes, `${ASSOCIATED}user_id`),
  };
}

const ASSOCIATED = 'traceloop.association.properties.';
const isTheTraces = (member: string): boolean => member === 'session_id' || member === 'user_id';

function kindOf(attributes: OtelMap, spanName: string): ReadKind | undefined {
  const type = TYPES.get(textAt(attributes, 'llm.request.type') ?? '');
  if (type !== undefined) return { type };
  const kind = textAt(attributes, 'traceloop.span.kind');
  const name = textAt(attributes, 'traceloop.entity.name');
  if (kind === 'tool') return { type: 'tool_call', name: name ?? spanName };
  return kind === undefined ? undefined : { type: 'custom', kind, name };
}

/** LiteLLM has the names of its functions, those with an `a` are asynchronous. */
const TYPES: ReadonlyMap<string, 'llm_call' | 'embedding' | 'retrieval'> = new Map([
  ['chat', 'llm_call'],
  ['completion', 'llm_call'],
  ['acompletion', 'llm_call'],
  ['text_completion', 'llm_call'],
  ['atext_completion', 'llm_call'],
  ['responses', 'llm_call'],
  ['aresponses', 'llm_call'],
  ['anthropic_messages', 'llm_call'],
  ['embedding', 'embedding'],
  ['aembedding', 'embedding'],
  ['rerank', 'retrieval'],
  ['arerank', 'retrieval'],
]);

function promptOf(attributes: OtelMap): Given | undefined {
  const tree = takeList(attributes, 'gen_ai.prompt.');
  return tree && { ...tree, value: conversationOf(tree.value.map((item) => messageOf(item, 'user'))) };
}

function completionIn(attributes: OtelMap): Given | undefined {
  const tree = takeList(attributes, 'gen_ai.completion.');
  return tree && { ...tree, value: completionOf(tree.value.map((item) => messageOf(item, 'assistant'))) };
}

/**
 * Contents that are lists of parts are JSON text, and that of a message which only calls tools is `null` in it; a
 * prompt of Bedrock is named `user`.
 */
function messageOf(item: unknown, role: string): unknown {
  if (typeof item === 'string') return { role, content: item };
  const name = objectOf(item)['content'] === undefined ? 'user' : 'content';
  const { [name]: content, ...rest } = objectOf(item);
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
