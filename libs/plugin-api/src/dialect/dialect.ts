import type { PluginLogger } from '../deps.js';
import type { OtelSpan } from './otel-span.js';

/** What a dialect plugin gets in `setup`. */
export interface DialectDeps {
  logger: PluginLogger;
}

/**
 * A dialect: how one family of instrumentations tells of models in the spans of OpenTelemetry.
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
 * What a dialect reads from a span; members that it does not know are absent. Readings of several dialects are merged
 * member by member in the order of config, the first that has a value wins; `usage` is taken whole from one dialect.
 */
export interface SpanReading {
  kind?: ReadKind;
  /** The model that was asked for. */
  model?: string;
  responseModel?: string;
  responseId?: string;
  /** As the instrumentation names it; it is brought to the conventions' name afterwards. */
  provider?: string;
  usage?: ReadUsage;
  /** Messages for a call of a model, with the system prompt first; otherwise whatever the operation was given. */
  input?: unknown;
  /** `{text, finish_reason, tool_calls?, reasoning?, choices?}` for a call of a model; otherwise what came of it. */
  output?: unknown;
  /** Parameters of the call without model and messages. */
  request?: Record<string, unknown>;
  streaming?: boolean;
  timeToFirstTokenMs?: number;
  /** The sender's own metadata of the span. */
  metadata?: Record<string, unknown>;
  /** Fails a span whose status does not, with this message. */
  failure?: string;
  session?: string;
  user?: string;
  tags?: readonly string[];
  traceName?: string;
  traceMetadata?: Record<string, unknown>;
  /**
   * Names of attributes that are given back as a whole in `input`, `output`, `metadata`, `request` or `traceMetadata`:
   * they are not stored a second time. A name that ends in `*` stands for all that begin so.
   */
  consumed?: readonly string[];
  /** Set for the running form of another span (Logfire): its id, and its parent's. */
  pendingOf?: { spanId: string; parentSpanId: string | null };
}

export type ReadKind =
  | { type: 'llm_call' }
  | { type: 'embedding' }
  | { type: 'retrieval' }
  | { type: 'tool_call'; name?: string; callId?: string; toolType?: string }
  /** `kind`: `agent`, `workflow`, `chain` … or the operation's own name; `name`: of the agent or workflow. */
  | { type: 'custom'; kind: string; name?: string };

/** Tokens and cost of one operation; a count that is no whole number from 0 is left out. */
export interface ReadUsage {
  /** All input tokens, cached ones included, unless {@link inputExcludesCached} says otherwise. */
  inputTokens?: number;
  outputTokens?: number;
  cachedInputTokens?: number;
  /** Tokens written to the provider's cache; counted into the input where that excludes them. */
  cacheWriteTokens?: number;
  reasoningTokens?: number;
  /** In US dollars. */
  cost?: number;
  /** True where this sender's input tokens leave out what was read from and written to the cache. */
  inputExcludesCached?: boolean;
}
