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
  const reported = textAt(attributes, 'openinference.span.kind')?.toUpperCase();
  if (reported === undefined && !hasAny(attributes, SURE)) return undefined;
  const kind = kindOf(reported, attributes, name);
  const request = takeObject(attributes, 'llm.invocation_parameters');
  const model =
    textAt(attributes, 'llm.request.model_name') ?? textOf(request?.value['model']) ?? textAt(attributes, MODEL);
  return {
    kind,
    model,
    responseModel: textAt(attributes, ['llm.response.model_name', 'llm.model_name']),
    provider: textAt(attributes, ['llm.provider', 'llm.system']),
    usage: usageOf(attributes),
    input: inputOf(attributes, kind, systemOf(request?.value)),
    output: outputOf(attributes, kind),
    request: request && { ...request, value: withoutReported(request.value, model) },
    streaming: typeof request?.value['stream'] === 'boolean' ? request.value['stream'] : undefined,
    metadata: takeObject(attributes, 'metadata'),
    tags: textsAt(attributes, 'tag.tags'),
  };
}

/** Names that nobody else uses, for spans of instrumentations that leave the kind out. */
const SURE = ['llm.model_name', 'llm.input_messages.0.message.role', 'llm.token_count.prompt', 'embedding.model_name'];
const MODEL = ['llm.model_name', 'embedding.model_name', 'reranker.model_name'];

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
        name: textAt(attributes, ['tool.name', 'tool_call.function.name']) ?? spanName,
        callId: textAt(attributes, ['tool.id', 'tool_call.id']),
      };
    case 'RETRIEVER':
    case 'RERANKER':
      return { type: 'retrieval' };
    case 'UNKNOWN':
      return { type: 'custom', kind: 'span' };
    default:
      return { type: 'custom', kind: reported.toLowerCase(), name: textAt(attributes, 'agent.name') };
  }
}

function usageOf(attributes: OtelMap): ReadUsage | undefined {
  return reportedUsage({
    inputTokens: countAt(attributes, 'llm.token_count.prompt'),
    outputTokens: countAt(attributes, 'llm.token_count.completion'),
    totalTokens: countAt(attributes, 'llm.token_count.total'),
    cachedInputTokens: countAt(attributes, CACHED),
    cacheWriteTokens: countAt(attributes, 'llm.token_count.prompt_details.cache_write'),
    reasoningTokens: countAt(attributes, 'llm.token_count.completion_details.reasoning'),
    inputAudioTokens: countAt(attributes, 'llm.token_count.prompt_details.audio'),
    outputAudioTokens: countAt(attributes, 'llm.token_count.completion_details.audio'),
    webSearchRequests: countAt(attributes, 'llm.token_count.prompt_details.web_search_requests'),
    cost: amountAt(attributes, ['llm.cost.total', 'llm.usage.total_cost']) ?? sumOfCosts(attributes),
  });
}

/** Both parts of a cost whose sum is not reported. */
function sumOfCosts(attributes: OtelMap): number | undefined {
  const [asked, answered] = [amountAt(attributes, 'llm.cost.prompt'), amountAt(attributes, 'llm.cost.completion')];
  return asked === undefined || answered === undefined ? undefined : asked + answered;
}

const CACHED = ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'];

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
