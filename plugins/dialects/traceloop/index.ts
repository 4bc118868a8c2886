import {
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  defineDialect,
  idAt,
  kindOfType,
  looseJson,
  objectOf,
  saidByModel,
  saidJson,
  takeAt,
  takeList,
  takeMembers,
  textAt,
  textOf,
  textsAt,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/**
 * OpenLLMetry, whose newer versions report calls of models by GenAI conventions alone, and Laminar, which is made of it
 * (docs/spec/otlp.md#traceloop).
 */
export default defineDialect({
  name: 'traceloop',
  setup: () => ({
    claims: { attributes: ['traceloop.*', 'lmnr.*', 'llm.request.type', 'gen_ai.prompt.0.*', 'gen_ai.completion.0.*'] },
    read,
  }),
});

function read({ attributes, name }: OtelSpan): SpanReading {
  const kind = kindOf(attributes, name);
  const [given, gave] = [takeAt(attributes, INPUT, saidJson), takeAt(attributes, OUTPUT, saidJson)];
  const isLaminars = kind?.type === 'llm_call' && textAt(attributes, LAMINAR_TYPE) !== undefined;
  return {
    kind,
    input: promptOf(attributes) ?? (isLaminars ? given && asConversation(given) : given),
    output:
      completionIn(attributes) ??
      (isLaminars ? gave && asCompletion({ ...gave, value: saidByModel(gave.value) }) : gave),
    metadata: takeMembers(attributes, ASSOCIATED, isTheTraces) ?? takeMembers(attributes, `${LAMINAR}metadata.`),
    session: idAt(attributes, [`${ASSOCIATED}session_id`, `${LAMINAR}session_id`]),
    user: idAt(attributes, [`${ASSOCIATED}user_id`, `${LAMINAR}user_id`]),
    tags: textsAt(attributes, `${LAMINAR}tags`),
  };
}

const INPUT = ['traceloop.entity.input', 'lmnr.span.input'];
const OUTPUT = ['traceloop.entity.output', 'lmnr.span.output'];
const ASSOCIATED = 'traceloop.association.properties.';
const LAMINAR = 'lmnr.association.properties.';
const LAMINAR_TYPE = 'lmnr.span.type';
const isTheTraces = (member: string): boolean => member === 'session_id' || member === 'user_id';

function kindOf(attributes: OtelMap, spanName: string): ReadKind | undefined {
  const type = TYPES.get(textAt(attributes, ['llm.request.type', 'gen_ai.operation.name']) ?? '');
  if (type !== undefined) return { type };
  const reported = textAt(attributes, LAMINAR_TYPE);
  if (reported !== undefined && reported !== 'DEFAULT') return kindOfType(reported, spanName);
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
  ['response', 'llm_call'],
  ['anthropic_messages', 'llm_call'],
  ['embedding', 'embedding'],
  ['aembedding', 'embedding'],
  ['rerank', 'retrieval'],
  ['arerank', 'retrieval'],
  ['vector_db_retrieve', 'retrieval'],
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
