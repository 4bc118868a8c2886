import {
  amountAt,
  completionOf,
  conversationOf,
  countAt,
  defineDialect,
  looseJson,
  plainText,
  saidByModel,
  takeAt,
  textAt,
  reportedUsage,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/** Claude Code, whose spans have flat names of their own (docs/spec/otlp.md#claude-code). */
export default defineDialect({
  name: 'claude-code',
  setup: () => ({ claims: { spans: ['claude_code.*'], scopes: ['com.anthropic.claude_code*'] }, read }),
});

const PREFIX = 'claude_code.';

function read({ attributes, name, events }: OtelSpan): SpanReading | undefined {
  const type = typeOf(textAt(attributes, 'span.type') ?? name);
  if (type === undefined) return undefined;
  switch (type) {
    case 'llm_request':
      return readRequest(attributes);
    case 'interaction':
      return { kind: { type: 'custom', kind: 'agent' }, input: reported(takeAt(attributes, 'user_prompt')) };
    case 'tool':
      return {
        kind: toolOf(attributes, name),
        input: reported(takeAt(attributes, 'tool_input', looseJson)) ?? toolDetails(attributes),
        output: reported(outputOf(events)),
      };
    default:
      return { kind: { type: 'custom', kind: type } };
  }
}

/** `span.type` has the prefix in some versions, the span's name in all. */
function typeOf(reported: string): string | undefined {
  const type = reported.startsWith(PREFIX) ? reported.slice(PREFIX.length) : reported;
  return type === '' ? undefined : type;
}

function readRequest(attributes: OtelMap): SpanReading {
  const input = reported(takeAt(attributes, 'user_prompt')) ?? reported(takeAt(attributes, 'new_context'));
  const output = reported(takeAt(attributes, 'response.model_output'));
  const reason = textAt(attributes, ['gen_ai.response.finish_reason', 'stop_reason']);
  return {
    kind: { type: 'llm_call' },
    model: textAt(attributes, ['gen_ai.request.model', 'model']),
    provider: 'anthropic',
    responseId: textAt(attributes, ['gen_ai.response.id', 'request_id']),
    usage: usageOf(attributes),
    timeToFirstTokenMs: amountAt(attributes, 'ttft_ms'),
    input: input && { ...input, value: conversationOf(input.value) },
    output: output && {
      ...output,
      value: completionOf(saidByModel(output.value), reason === undefined ? [] : [reason]),
    },
  };
}

/** Tokens that the cache gave or took are not in `input_tokens`. */
function usageOf(attributes: OtelMap): ReadUsage | undefined {
  return reportedUsage({
    inputTokens: countAt(attributes, 'input_tokens'),
    outputTokens: countAt(attributes, 'output_tokens'),
    cachedInputTokens: countAt(attributes, 'cache_read_tokens'),
    cacheWriteTokens: countAt(attributes, 'cache_creation_tokens'),
    cost: amountAt(attributes, 'cost_usd'),
    serviceTier: textAt(attributes, 'speed') === 'fast' ? 'fast' : undefined,
    inputExcludesCached: true,
  });
}

function toolOf(attributes: OtelMap, name: string): ReadKind {
  return {
    type: 'tool_call',
    name: textAt(attributes, 'tool_name') ?? name,
    callId: textAt(attributes, ['tool_use_id', 'gen_ai.tool.call.id']),
  };
}

/** Input of single tools where contents as a whole are not reported. */
function toolDetails(attributes: OtelMap): Given | undefined {
  const value: Record<string, unknown> = {};
  const from: string[] = [];
  for (const [name, member] of DETAILS) {
    const taken = reported(takeAt(attributes, name, plainText));
    if (!taken) continue;
    value[member] = taken.value;
    from.push(name);
  }
  return from.length === 0 ? undefined : { value, from };
}

/** Attributes, with the names that the tools' inputs have for them. */
const DETAILS: readonly (readonly [name: string, member: string])[] = [
  ['full_command', 'command'],
  ['file_path', 'file_path'],
  ['skill_name', 'skill'],
  ['subagent_type', 'subagent_type'],
];

/** The event that reports a tool's output; its attribute is named `output`, with others beside it for single tools. */
function outputOf(events: OtelSpan['events']): Given | undefined {
  const event = events.find(({ name }) => name === 'tool.output');
  return event && takeAt(event.attributes, ['output', 'content', 'result', 'diff']);
}

/** Contents that the user has not allowed to be reported. */
function reported(given: Given | undefined): Given | undefined {
  return given === undefined || given.value === '<REDACTED>' ? undefined : given;
}
