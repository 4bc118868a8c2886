import type { Usage } from '../chat.js';
import type { PluginLogger } from '../deps.js';
import type { OtelSpan } from './otel-span.js';

/** What a dialect plugin gets in `setup`. */
export interface DialectDeps {
  logger: PluginLogger;
}

/**
 * A dialect: how one family of instrumentations reports models in the spans of OpenTelemetry.
 *
 * `read` is pure and synchronous: no I/O, no state between calls, and it changes nothing of what it is given. It is
 * lenient: a value of an odd type or shape is left out. When it throws nonetheless, its reading of that span is lost and
 * counted, nothing else.
 */
export interface Dialect {
  /** `read` is asked for a span only that has one of these. */
  readonly claims: DialectClaims;
  /** @returns what the dialect knows of the span; `undefined` when it is none of its own. */
  read(span: OtelSpan): SpanReading | undefined;
}

/** A name that ends in `*` stands for all names that begin so. */
export interface DialectClaims {
  /** Names of attributes: `gen_ai.*`. */
  readonly attributes?: readonly string[];
  /** Names of span events. */
  readonly events?: readonly string[];
  /** Names of instrumentation scopes. */
  readonly scopes?: readonly string[];
  /** Names of spans. */
  readonly spans?: readonly string[];
}

/**
 * What a dialect reads from a span; members that it does not know are absent or `undefined`. Readings of several dialects
 * are merged member by member in the order of config, the first that has a value wins; `usage` is taken whole from one
 * dialect.
 */
export interface SpanReading {
  kind?: ReadKind | undefined;
  /** The model that was asked for. */
  model?: string | undefined;
  responseModel?: string | undefined;
  responseId?: string | undefined;
  /** The name that the instrumentation has for it; it is brought to the name of the conventions afterwards. */
  provider?: string | undefined;
  usage?: ReadUsage | undefined;
  /** Messages for a call of a model, with the system prompt first; otherwise whatever the operation was given. */
  input?: Given | undefined;
  /** `{text, finish_reason, tool_calls?, reasoning?, choices?}` for a call of a model; otherwise what came of it. */
  output?: Given | undefined;
  /** Parameters of the call without model and messages. */
  request?: GivenMembers | undefined;
  streaming?: boolean | undefined;
  timeToFirstTokenMs?: number | undefined;
  /** The sender's own metadata of the span. */
  metadata?: GivenMembers | undefined;
  /** Fails a span whose status does not, with this message. */
  failure?: string | undefined;
  session?: string | undefined;
  user?: string | undefined;
  tags?: readonly string[] | undefined;
  traceName?: string | undefined;
  traceMetadata?: GivenMembers | undefined;
  /** Set for the running form of another span (Logfire): its id, and its parent's. */
  pendingOf?: { spanId: string; parentSpanId: string | null } | undefined;
}

/**
 * A value with the names of what it was made of. What is named here is not stored a second time among the attributes of
 * the span, so every name must be of something that stands in `value` as a whole.
 */
export interface Given<Value = unknown> {
  readonly value: Value;
  /** Names of attributes of the span, or of its events. */
  readonly from?: readonly string[] | undefined;
  /** Names of events whose body stands in `value`: their attributes whose names have no dot, and `gen_ai.event.content`. */
  readonly fromEvents?: readonly string[] | undefined;
}

export type GivenMembers = Given<Readonly<Record<string, unknown>>>;

export type ReadKind =
  | { type: 'llm_call' }
  | { type: 'embedding' }
  | { type: 'retrieval' }
  | {
      type: 'tool_call';
      name?: string | undefined;
      callId?: string | undefined;
      toolType?: string | undefined;
    }
  /** `kind`: `agent`, `workflow`, `chain` … or the operation's own name; `name`: of the agent or workflow. */
  | { type: 'custom'; kind: string; name?: string | undefined };

/** What one operation used; a count that is no whole number from 0 is left out. */
export interface ReadUsage extends Partial<{ [Member in keyof Usage]: Usage[Member] | undefined }> {
  /** All input tokens, those of the cache included, unless {@link inputExcludesCached} says otherwise. */
  inputTokens?: number | null | undefined;
  /** True where this sender's input tokens leave out what was read from and written to the cache. */
  inputExcludesCached?: boolean | undefined;
  /** True where this sender's output tokens leave out those of reasoning. */
  outputExcludesReasoning?: boolean | undefined;
}

/**
 * The usage where it reports tokens or a cost; `undefined` otherwise, so that the next dialect is asked.
 * @param usage with `totalTokens` where the sender has it: what is in it beyond input and output is of the cache, where that
 * is as much, else output.
 */
export function reportedUsage({
  totalTokens,
  ...usage
}: ReadUsage & { totalTokens?: number | undefined }): ReadUsage | undefined {
  const { inputTokens, outputTokens, cost } = usage;
  if ((inputTokens ?? outputTokens ?? cost ?? null) === null) return undefined;
  return totalTokens === undefined ? usage : withTotal(usage, totalTokens);
}

function withTotal(usage: ReadUsage, totalTokens: number): ReadUsage {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return usage;
  const ofCache = (usage.cachedInputTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  const leftOut =
    (usage.inputExcludesCached === true ? ofCache : 0) +
    (usage.outputExcludesReasoning === true ? (reasoningTokens ?? 0) : 0);
  const beside = totalTokens - inputTokens - outputTokens - leftOut;
  if (beside <= 0) return usage;
  const isOfCache = ofCache > 0 && (beside === ofCache || beside === ofCache + (reasoningTokens ?? 0));
  const output = outputTokens + beside - (isOfCache ? ofCache : 0);
  return { ...usage, outputTokens: output, ...(isOfCache && { inputExcludesCached: true }) };
}

/**
 * What a span is by the type that an SDK for observations gives it, in any case: `LLM`, `generation`, `tool` …
 * @param toolName of a tool, where the SDK reports one beside the name of the span.
 * @returns custom of that type for those that say nothing more.
 */
export function kindOfType(reported: string, toolName: string): ReadKind {
  const type = reported.toLowerCase();
  const known = TYPES.get(type);
  if (known === 'tool_call') return { type: known, name: toolName };
  return known === undefined ? { type: 'custom', kind: type } : { type: known };
}

const TYPES: ReadonlyMap<string, 'llm_call' | 'embedding' | 'tool_call' | 'retrieval'> = new Map([
  ['llm', 'llm_call'],
  ['generation', 'llm_call'],
  ['chat_model', 'llm_call'],
  ['embedding', 'embedding'],
  ['tool', 'tool_call'],
  ['retriever', 'retrieval'],
  ['reranker', 'retrieval'],
  ['rag', 'retrieval'],
]);
