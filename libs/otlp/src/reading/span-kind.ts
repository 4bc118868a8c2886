import { UNKNOWN_MODEL, type SpanKind } from '@spandrel/contract';
import { usageMembers, type OtelSpan, type ReadUsage, type SpanReading, type UsageMembers } from '@spandrel/plugin-api';
import { storableKey, storableName } from './stored-value.js';
import { isCount } from './dialect-reader.js';

/** The kind of a span with its model, provider and usage (docs/spec/otlp.md#kinds). */
export function spanKind(span: OtelSpan, reading: SpanReading, usage: SpanUsage | null): SpanKind {
  const logged = reading.model ?? reading.responseModel;
  const model = logged === undefined ? undefined : storableKey(logged);
  const provider = reading.provider === undefined ? undefined : providerName(reading.provider);
  const { kind } = reading;
  switch (kind?.type) {
    case 'llm_call':
      return { type: 'llm_call', model: model || UNKNOWN_MODEL, provider: provider ?? null, ...NO_COUNTS, ...usage };
    case 'embedding':
      return { type: 'embedding', model: model || UNKNOWN_MODEL, provider: provider ?? null, ...usage };
    case 'retrieval':
      return { type: 'retrieval', ...named(model, provider), ...usage };
    case 'tool_call':
      return {
        type: 'tool_call',
        name: storableName(textOr(kind.name, span.name)),
        call_id: typeof kind.callId === 'string' && kind.callId !== '' ? storableName(kind.callId) : null,
        ...(typeof kind.toolType === 'string' && { tool_type: storableName(kind.toolType) }),
        ...named(model, provider),
        ...usage,
      };
    default: {
      const name = kind?.name;
      return {
        type: 'custom',
        kind: storableKey(textOr(kind?.kind, kindWithoutDialect(span))),
        ...(typeof name === 'string' && name !== '' && { name: storableName(name) }),
        attributes: {},
        ...named(model, provider),
        ...usage,
      };
    }
  }
}

const NO_COUNTS = { input_tokens: null, output_tokens: null };

function named(model: string | undefined, provider: string | undefined): Record<string, string> {
  return { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
}

const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' && value !== '' ? value : other;

/** What a span that no dialect knows is about, by the attribute that its conventions require. */
function kindWithoutDialect({ attributes }: OtelSpan): string {
  for (const [name, kind] of OTHER_KINDS) if (attributes.has(name)) return kind;
  return 'span';
}

const OTHER_KINDS: readonly (readonly [string, string])[] = [
  ['http.request.method', 'http'],
  ['http.method', 'http'],
  ['db.system.name', 'db'],
  ['db.system', 'db'],
  ['rpc.system', 'rpc'],
  ['rpc.system.name', 'rpc'],
  ['messaging.system', 'messaging'],
  ['mcp.method.name', 'mcp'],
];

/** Counts and cost of one span, as its kind has them, and `metadata.reported_usage` while others count instead. */
export type SpanUsage = UsageMembers;

/**
 * Counts as spans have them: what is no count is left out, the input has the cached tokens in it and the output those of
 * reasoning.
 * @returns `null` when there is neither a count of input or output nor a cost.
 */
export function spanUsage(read: ReadUsage | undefined): SpanUsage | null {
  if (read === undefined) return null;
  const usage = usageMembers({ ...read, inputTokens: inputOf(read), outputTokens: outputOf(read) });
  const isKnown = usage.input_tokens !== undefined || usage.output_tokens !== undefined || usage.cost !== undefined;
  return isKnown ? usage : null;
}

/** More cached tokens than input tokens: the sender leaves them out of the input, whatever else is known of it. */
function inputOf({ inputTokens, cachedInputTokens, cacheWriteTokens, ...read }: ReadUsage): number | undefined {
  if (!isCount(inputTokens)) return undefined;
  const cached =
    (isCount(cachedInputTokens) ? cachedInputTokens : 0) + (isCount(cacheWriteTokens) ? cacheWriteTokens : 0);
  const all = read.inputExcludesCached === true || cached > inputTokens ? inputTokens + cached : inputTokens;
  return isCount(all) ? all : undefined;
}

/** More tokens of reasoning than output tokens: the sender leaves them out of the output. */
function outputOf({ outputTokens, reasoningTokens, outputExcludesReasoning }: ReadUsage): number | undefined {
  if (!isCount(outputTokens)) return undefined;
  const reasoning = isCount(reasoningTokens) ? reasoningTokens : 0;
  const all = outputExcludesReasoning === true || reasoning > outputTokens ? outputTokens + reasoning : outputTokens;
  return isCount(all) ? all : undefined;
}

/** Other spellings of the names that the GenAI conventions have, LiteLLM's, Pydantic AI's, the AI SDK's and Genkit's among them. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'azure.ai.openai': ['az.ai.openai', 'azure', 'azure-openai', 'azure_openai', 'azure_text', 'azureopenai'],
  'azure.ai.inference': ['az.ai.inference', 'azure_ai', 'azure_ai_inference'],
  openai: ['text-completion-openai', 'openai-chat', 'openai-responses', 'openai_responses'],
  anthropic: ['anthropic_text'],
  'gcp.gen_ai': ['google'],
  'gcp.gemini': [
    ...['gemini', 'google-gla', 'google_ai', 'google_genai'],
    ...['google_genai_ai', 'google.gemini', 'google.generative-ai', 'googleai'],
  ],
  'gcp.vertex_ai': [
    ...['vertex', 'vertex_ai', 'vertex_ai_beta', 'vertexai'],
    ...['google-vertex', 'google_vertexai', 'google.vertex'],
  ],
  x_ai: ['xai', 'grok'],
  mistral_ai: ['mistralai', 'mistral', 'mistral ai', 'codestral', 'text-completion-codestral'],
  'aws.bedrock': [
    ...['aws', 'bedrock', 'amazon-bedrock', 'amazon_bedrock'],
    ...['aws-bedrock', 'aws_bedrock', 'bedrock_converse'],
  ],
  'ibm.watsonx.ai': ['watsonx', 'watsonx_text'],
  cohere: ['cohere_chat'],
  ollama: ['ollama_chat'],
  vllm: ['hosted_vllm'],
};

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(SPELLINGS).flatMap(([name, spellings]) => spellings.map((spelling) => [spelling, name] as const)),
);

/** Parts before the first dot that belong to a name: `aws.bedrock`. What follows any other is the API (`openai.chat`). */
const FAMILIES: ReadonlySet<string> = new Set(['aws', 'azure', 'az', 'gcp', 'ibm']);

/**
 * A provider by the name that the GenAI conventions have for it, in lower case, so that one filter finds what the gateway
 * recorded and what came by OTLP (docs/spec/otlp.md#providers).
 */
function providerName(sent: string): string {
  const name = storableKey(sent).toLowerCase();
  const renamed = NAMES.get(name);
  if (renamed !== undefined || !name.includes('.')) return renamed ?? name;
  const ofApi = nameOfApi(name);
  if (ofApi !== undefined) return ofApi;
  const family = name.split('.', 1)[0]!;
  return family === '' || FAMILIES.has(family) ? name : (NAMES.get(family) ?? family);
}

/** A name whose API stands behind a second dot, `google.vertex.chat`, or that of Azure's OpenAI, `azure.chat`. */
function nameOfApi(name: string): string | undefined {
  const [family, product, ...api] = name.split('.');
  if (family === 'azure' && product !== 'ai') return NAMES.get(family);
  return api.length > 0 ? NAMES.get(`${family}.${product}`) : undefined;
}
