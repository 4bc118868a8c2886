import {
  completionOf,
  conversationOf,
  countOf,
  defineDialect,
  idAt,
  isNothing,
  listOf,
  objectOf,
  readOpenAiUsage,
  readUsageOf,
  reportedGeminiUsage,
  reportedUsage,
  saidJson,
  takeAt,
  textAt,
  textOf,
  without,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/** Genkit, whose attributes are named with colons and hold JSON text (docs/spec/otlp.md#genkit). */
export default defineDialect({
  name: 'genkit',
  setup: () => ({ claims: { attributes: ['genkit:*'] }, read }),
});

function read({ attributes, events, name }: OtelSpan): SpanReading {
  const action = textAt(attributes, 'genkit:metadata:subtype') ?? textAt(attributes, 'genkit:type');
  const own = textAt(attributes, 'genkit:name') ?? name;
  const kind = action === undefined ? undefined : kindOf(action, own);
  const input = takeAt(attributes, 'genkit:input', saidJson);
  const output = takeAt(attributes, 'genkit:output', saidJson);
  const common = { kind, failure: failureOf(attributes, events), session: idAt(attributes, SESSION) };
  switch (kind?.type) {
    case 'llm_call':
      return { ...common, ...modelOf(own), ...questionOf(input), output: answerOf(output), usage: usageOf(output) };
    case 'embedding':
      return { ...common, ...modelOf(own), input };
    default:
      return { ...common, input, output };
  }
}

const ERROR = ['genkit:error', 'genkit:metadata:error'];
const SESSION = ['genkit:sessionId', 'genkit:metadata:sessionId'];
const EXCEPTION = ['exception.message', 'exception.type'];

/** By the type of action: `model`, `tool`, `flow` …, some with a version (`tool.v2`). */
function kindOf(action: string, name: string): ReadKind {
  const [type] = action.split('.', 1) as [string];
  if (type === 'tool') return { type: 'tool_call', name };
  const known = TYPES.get(type);
  return known === undefined ? { type: 'custom', kind: action, name } : { type: known };
}

const TYPES: ReadonlyMap<string, 'llm_call' | 'embedding' | 'retrieval'> = new Map([
  ['model', 'llm_call'],
  ['background-model', 'llm_call'],
  ['embedder', 'embedding'],
  ['retriever', 'retrieval'],
  ['reranker', 'retrieval'],
]);

/** Models are named `plugin/model`; the name that the provider has for it may have a slash too. */
function modelOf(name: string): Pick<SpanReading, 'model' | 'provider'> {
  const slash = name.indexOf('/');
  return slash <= 0 ? { model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** Messages, and what stands beside them as parameters, those of `config` among the others. */
function questionOf(given: Given | undefined): Pick<SpanReading, 'input' | 'request'> {
  const { messages, config, ...rest } = objectOf(given?.value);
  if (given === undefined || !Array.isArray(messages)) return { input: given };
  const parameters: Record<string, unknown> = { ...(objectOf(config) !== config && !isNothing(config) && { config }) };
  for (const [name, value] of Object.entries({ ...objectOf(config), ...rest })) {
    if (!isNothing(value)) parameters[name] = value;
  }
  const isWhole = Object.keys(objectOf(config)).every((name) => isNothing(rest[name]));
  const from = isWhole ? given.from : undefined;
  return {
    input: { value: conversationOf(messages), from },
    ...(Object.keys(parameters).length > 0 && { request: { value: parameters, from } }),
  };
}

/** The message, in older versions that of the first candidate. The attribute stays: it has more than the message. */
function answerOf(given: Given | undefined): Given | undefined {
  if (given === undefined) return undefined;
  const { message, candidates, finishReason } = objectOf(given.value);
  const reasons = textOf(finishReason) === null ? [] : [finishReason as string];
  if (message !== undefined) return { value: completionOf([message], reasons) };
  if (!Array.isArray(candidates)) return given;
  return { value: completionOf(listOf(candidates).map(messageOfCandidate), reasons) };
}

function messageOfCandidate(candidate: unknown): unknown {
  const { message, finishReason, ...rest } = objectOf(candidate);
  return { ...without(rest, 'index'), ...objectOf(message), finish_reason: finishReason ?? null };
}

/**
 * Thoughts are output; where the total has more than input and output, they are counted beside these. Where the provider's own
 * answer stands in `raw` and is of OpenAI's format, Gemini's or Anthropic's, its usage counts, which has more parts.
 */
function usageOf(given: Given | undefined): ReadUsage | undefined {
  const { usage: counted, raw } = objectOf(given?.value);
  const answer = objectOf(raw);
  const reported = /^(?:chat\.completion|response$)/.test(textOf(answer['object']) ?? '') && readUsageOf(answer);
  if (reported && reported.inputTokens !== null && reported.outputTokens !== null) return reportedUsage(reported);
  const ofGemini = reportedGeminiUsage(answer['usageMetadata']);
  if (ofGemini) return ofGemini;
  if (answer['type'] === 'message') {
    const inputTokens = countOf(objectOf(answer['usage'])['input_tokens']);
    return reportedUsage({ ...readOpenAiUsage(answer['usage']), inputTokens, inputExcludesCached: true });
  }
  const usage = objectOf(counted);
  const countAt = (name: string): number | undefined => countOf(usage[name]) ?? undefined;
  return reportedUsage({
    inputTokens: countAt('inputTokens'),
    outputTokens: countAt('outputTokens'),
    totalTokens: countAt('totalTokens'),
    cachedInputTokens: countAt('cachedContentTokens'),
    reasoningTokens: countAt('thoughtsTokens'),
  });
}

function failureOf(attributes: OtelMap, events: OtelSpan['events']): string | undefined {
  if (textAt(attributes, 'genkit:state') !== 'error') return undefined;
  const exception = events.find(({ name }) => name === 'exception');
  return textAt(attributes, ERROR) ?? (exception && textAt(exception.attributes, EXCEPTION)) ?? 'error';
}
