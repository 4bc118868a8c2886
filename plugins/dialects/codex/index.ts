import {
  countAt,
  defineDialect,
  hasAny,
  idAt,
  reportedUsage,
  textAt,
  type GivenMembers,
  type OtelMap,
  type OtelSpan,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/** The Codex command line and what else runs its core (docs/spec/otlp.md#codex). */
export default defineDialect({
  name: 'codex',
  setup: () => ({
    claims: {
      attributes: ['codex.*'],
      events: ['codex.*', 'event codex.*'],
      scopes: ['codex*'],
      spans: ['handle_responses', 'session_task.turn'],
    },
    read,
  }),
});

function read(span: OtelSpan): SpanReading {
  const { attributes, name } = span;
  const common = { session: first(span, SESSION), request: effortOf(attributes), model: textAt(attributes, MODEL) };
  if (name === 'handle_responses') return { ...common, ...responseOf(span) };
  if (name !== 'session_task.turn' && !hasAny(attributes, [`${TURN}input_tokens`])) return common;
  return {
    ...common,
    kind: { type: 'custom', kind: 'agent' },
    provider: 'openai',
    usage: usageOfTurn(attributes),
  };
}

/** Every event of an answer has such a span; the one that completes it has the usage. Its model may be in its events alone. */
function responseOf(span: OtelSpan): SpanReading {
  const { attributes } = span;
  const isCall = hasAny(attributes, USAGE) || textAt(attributes, 'otel.name') === 'completed';
  return {
    kind: isCall ? { type: 'llm_call' } : { type: 'custom', kind: 'handle_responses' },
    model: first(span, MODEL),
    provider: 'openai',
  };
}

const TURN = 'codex.turn.token_usage.';
const MODEL = ['gen_ai.request.model', 'model', 'slug'];
const SESSION = ['conversation.id', 'thread.id'];
const USAGE = ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'];
const EFFORTS = ['codex.request.reasoning_effort', 'codex.turn.reasoning_effort'];

/** An attribute of the span, else of the first of its events that has it. */
function first({ attributes, events }: OtelSpan, names: readonly string[]): string | undefined {
  const own = idAt(attributes, names);
  if (own !== undefined) return own;
  for (const event of events) {
    const reported = idAt(event.attributes, names);
    if (reported !== undefined) return reported;
  }
  return undefined;
}

function effortOf(attributes: OtelMap): GivenMembers | undefined {
  const name = EFFORTS.find((one) => textAt(attributes, one) !== undefined);
  return name === undefined ? undefined : { value: { reasoning_effort: attributes.get(name) }, from: [name] };
}

/** The sum of the turn's calls, which counts where these report none. */
function usageOfTurn(attributes: OtelMap): ReadUsage | undefined {
  const count = (member: string): number | undefined => countAt(attributes, [TURN + member]);
  return reportedUsage({
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    totalTokens: count('total_tokens'),
    cachedInputTokens: count('cached_input_tokens'),
    cacheWriteTokens: count('cache_write_input_tokens'),
    reasoningTokens: count('reasoning_output_tokens'),
  });
}
