import {
  amountAt,
  countAt,
  defineDialect,
  hasAny,
  objectOf,
  takeObject,
  textAt,
  textOf,
  textsAt,
  reportedUsage,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';
import { inputOf, outputOf } from './payloads.js';

/** OpenInference, the conventions of Arize and Phoenix (docs/spec/otlp.md#openinference). */
export default defineDialect({
  name: 'openinference',
  setup: () => ({
    claims: {
      attributes: [
        ...['openinference.*', 'llm.*', 'embedding.*', 'retrieval.*', 'reranker.*', 'tag.tags'],
        ...['input.value', 'output.value', 'tool.name', 'tool.parameters', 'agent.name', 'metadata'],
      ],
    },
    read,
  }),
});

function read({ attributes, name }: OtelSpan): SpanReading | undefined {
  const reported = textAt(attributes, KIND)?.toUpperCase();
  if (reported === undefined && !hasAny(attributes, SURE)) return undefined;
  const kind = kindOf(reported, attributes, name);
  const request = takeObject(attributes, 'llm.invocation_parameters');
  const model = textAt(attributes, REQUESTED) ?? textOf(request?.value['model']) ?? textAt(attributes, MODEL);
  return {
    kind,
    model,
    responseModel: textAt(attributes, RESPONSE_MODEL),
    provider: textAt(attributes, PROVIDER),
    usage: usageOf(attributes),
    input: inputOf(attributes, kind, systemOf(request?.value)),
    output: outputOf(attributes, kind),
    request: request && { ...request, value: withoutReported(request.value, model) },
    streaming: typeof request?.value['stream'] === 'boolean' ? request.value['stream'] : undefined,
    metadata: takeObject(attributes, 'metadata'),
    tags: textsAt(attributes, 'tag.tags'),
  };
}

const KIND = ['openinference.span.kind'];
/** Names that nobody else uses, for spans of instrumentations that leave the kind out. */
const SURE = ['llm.model_name', 'llm.input_messages.0.message.role', 'llm.token_count.prompt', 'embedding.model_name'];
const REQUESTED = ['llm.request.model_name'];
const MODEL = ['llm.model_name', 'embedding.model_name', 'reranker.model_name'];
const RESPONSE_MODEL = ['llm.response.model_name', 'llm.model_name'];
const PROVIDER = ['llm.provider', 'llm.system'];

function kindOf(reported: string | undefined, attributes: OtelMap, spanName: string): ReadKind | undefined {
  switch (reported) {
    case undefined:
      return attributes.has('embedding.model_name') ? { type: 'embedding' } : { type: 'llm_call' };
    case 'LLM':
      return { type: 'llm_call' };
    case 'EMBEDDING':
      return { type: 'embedding' };
    case 'TOOL':
      return {
        type: 'tool_call',
        name: textAt(attributes, TOOL_NAME) ?? spanName,
        callId: textAt(attributes, TOOL_ID),
      };
    case 'RETRIEVER':
    case 'RERANKER':
      return { type: 'retrieval' };
    case 'UNKNOWN':
      return { type: 'custom', kind: 'span' };
    default:
      return { type: 'custom', kind: reported.toLowerCase(), name: textAt(attributes, AGENT_NAME) };
  }
}

const TOOL_NAME = ['tool.name', 'tool_call.function.name'];
const TOOL_ID = ['tool.id', 'tool_call.id'];
const AGENT_NAME = ['agent.name'];

function usageOf(attributes: OtelMap): ReadUsage | undefined {
  return reportedUsage({
    inputTokens: countAt(attributes, INPUT_TOKENS),
    outputTokens: countAt(attributes, OUTPUT_TOKENS),
    totalTokens: countAt(attributes, TOTAL_TOKENS),
    cachedInputTokens: countAt(attributes, CACHED),
    cacheWriteTokens: countAt(attributes, WRITTEN),
    reasoningTokens: countAt(attributes, REASONING),
    inputAudioTokens: countAt(attributes, INPUT_AUDIO),
    outputAudioTokens: countAt(attributes, OUTPUT_AUDIO),
    webSearchRequests: countAt(attributes, WEB_SEARCHES),
    cost: amountAt(attributes, COST),
  });
}

const INPUT_TOKENS = ['llm.token_count.prompt'];
const OUTPUT_TOKENS = ['llm.token_count.completion'];
const TOTAL_TOKENS = ['llm.token_count.total'];
const CACHED = ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'];
const WRITTEN = ['llm.token_count.prompt_details.cache_write'];
const REASONING = ['llm.token_count.completion_details.reasoning'];
const INPUT_AUDIO = ['llm.token_count.prompt_details.audio'];
const OUTPUT_AUDIO = ['llm.token_count.completion_details.audio'];
const WEB_SEARCHES = ['llm.token_count.prompt_details.web_search_requests'];
const COST = ['llm.cost.total', 'llm.usage.total_cost'];

/** A system prompt among the parameters: Anthropic's, that of Responses or Google's. */
function systemOf(parameters: Readonly<Record<string, unknown>> | undefined): unknown {
  if (parameters === undefined) return undefined;
  const { system, instructions, system_instruction: google, config } = parameters;
  return system ?? instructions ?? google ?? objectOf(config)['system_instruction'] ?? undefined;
}

/** The parameters without the model and whether the call streams, which have members of their own. */
function withoutReported(
  parameters: Readonly<Record<string, unknown>>,
  model: string | undefined,
): Record<string, unknown> {
  const { model: named, stream, ...rest } = parameters;
  return {
    ...(named !== undefined && named !== model && { model: named }),
    ...(stream !== undefined && typeof stream !== 'boolean' && { stream }),
    ...rest,
  };
}
