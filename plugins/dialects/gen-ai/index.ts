import {
  amountAt,
  defineDialect,
  flagAt,
  idAt,
  takeMembers,
  textAt,
  type OtelMap,
  type OtelSpan,
  type SpanReading,
  hasAny,
  type ReadKind,
} from '@spandrel/plugin-api';
import { inputOf, outputOf } from './messages.js';
import { usageOf } from './usage.js';

/**
 * The GenAI conventions of OpenTelemetry in all their generations: attributes with structured or JSON messages, older
 * ones with events for each message, and the names that single frameworks add (docs/spec/otlp.md#gen-ai).
 */
export default defineDialect({
  name: 'gen-ai',
  setup: () => ({
    claims: { attributes: ['gen_ai.*', 'llm.usage.*'], events: ['gen_ai.*'] },
    read,
  }),
});

function read(span: OtelSpan): SpanReading {
  const { attributes } = span;
  const kind = kindOf(attributes);
  const firstMs = msAt(attributes, FIRST_SECONDS) ?? firstMsAt(attributes);
  return {
    kind,
    model: textAt(attributes, 'gen_ai.request.model'),
    responseModel: textAt(attributes, 'gen_ai.response.model'),
    responseId: textAt(attributes, 'gen_ai.response.id'),
    provider: textAt(attributes, ['gen_ai.provider.name', 'gen_ai.system', 'gen_ai.model.provider']),
    usage: usageOf(span),
    input: inputOf(span, kind),
    output: outputOf(span, kind),
    request: takeMembers(attributes, 'gen_ai.request.', isNoParameter),
    streaming: isStreaming(attributes, firstMs),
    timeToFirstTokenMs: firstMs ?? msAt(attributes, FIRST_SERVED),
    user: idAt(attributes, 'gen_ai.user'),
  };
}

const STREAM = [
  'gen_ai.request.stream',
  'gen_ai.request.streaming',
  'gen_ai.response.streaming',
  'gen_ai.is_streaming',
  'gen_ai.request.is_stream',
  'llm.is_streaming',
  'stream',
];
const isNoParameter = (member: string): boolean => member === 'model' || member === 'stream' || member === 'is_stream';

/** Only a stream has a first chunk. */
function isStreaming(attributes: OtelMap, firstMs: number | undefined): boolean | undefined {
  const reported = flagAt(attributes, STREAM);
  if (reported !== undefined || firstMs === undefined) return reported ?? isStreamingOperation(attributes);
  return true;
}

/** Semantic Kernel has operations of their own for streams: `chat.streaming_completions`. */
const isStreamingOperation = (attributes: OtelMap): true | undefined =>
  textAt(attributes, 'gen_ai.operation.name')?.includes('.streaming_') === true ? true : undefined;

const FIRST_SECONDS = [
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.client.operation.time_to_first_chunk',
  'metrics.ttfb',
];
/** A server of models has a first token of whole answers too. */
const FIRST_SERVED = ['gen_ai.latency.time_to_first_token'];
/** Strands reports whole milliseconds there, OpenLIT and Qwen's command line seconds. */
function firstMsAt(attributes: OtelMap): number | undefined {
  const first = amountAt(attributes, 'gen_ai.server.time_to_first_token');
  return first === undefined || Number.isInteger(first) ? first : first * 1000;
}

/** What is reported in seconds. */
function msAt(attributes: OtelMap, names: readonly string[]): number | undefined {
  const seconds = amountAt(attributes, names);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** What a span is by `gen_ai.operation.name`; by what it reports where there is none. */
function kindOf(attributes: OtelMap): ReadKind | undefined {
  const operation = textAt(attributes, OPERATION);
  const type = operation === undefined ? typeWithoutOperation(attributes) : TYPES.get(operation);
  switch (type) {
    case 'tool_call':
      return {
        type,
        name: textAt(attributes, TOOL_NAME),
        callId: textAt(attributes, ['gen_ai.tool.call.id', 'gen_ai.tool.call_id', 'spring.ai.tool.call.id']),
        toolType: textAt(attributes, 'gen_ai.tool.type'),
      };
    case 'llm_call':
    case 'embedding':
    case 'retrieval':
      return { type };
  }
  if (operation === undefined) return undefined;
  const kind = CUSTOM_KINDS.get(operation) ?? operation;
  return { type: 'custom', kind, name: textAt(attributes, kind === 'workflow' ? WORKFLOW_NAME : AGENT_NAME) };
}

/** All that is not a call of a model is an operation `framework` of Spring AI, whose kinds are of its own. */
const OPERATION = ['spring.ai.kind', 'gen_ai.operation.name'];
const TOOL_NAME = ['gen_ai.tool.name', 'spring.ai.tool.definition.name'];

type KnownType = 'llm_call' | 'embedding' | 'tool_call' | 'retrieval';

/** Names of the conventions in all their generations, and those that Semantic Kernel, LiteLLM, Sentry and Gemini's CLI have. */
const TYPES: ReadonlyMap<string, KnownType> = new Map([
  ['chat', 'llm_call'],
  ['generate_content', 'llm_call'],
  ['text_completion', 'llm_call'],
  ['atext_completion', 'llm_call'],
  ['completion', 'llm_call'],
  ['acompletion', 'llm_call'],
  ['generate', 'llm_call'],
  ['chat.completions', 'llm_call'],
  ['chat.streaming_completions', 'llm_call'],
  ['text.completions', 'llm_call'],
  ['text.streaming_completions', 'llm_call'],
  ['responses', 'llm_call'],
  ['aresponses', 'llm_call'],
  ['response', 'llm_call'],
  ['messages', 'llm_call'],
  ['anthropic_messages', 'llm_call'],
  ['generate_text', 'llm_call'],
  ['stream_text', 'llm_call'],
  ['generate_object', 'llm_call'],
  ['stream_object', 'llm_call'],
  ['llm_call', 'llm_call'],
  ['embeddings', 'embedding'],
  ['embedding', 'embedding'],
  ['aembedding', 'embedding'],
  ['embed', 'embedding'],
  ['embed_many', 'embedding'],
  ['execute_tool', 'tool_call'],
  ['tool_call', 'tool_call'],
  ['retrieval', 'retrieval'],
  ['vector_db_retrieve', 'retrieval'],
  ['rerank', 'retrieval'],
  ['arerank', 'retrieval'],
]);

const CUSTOM_KINDS: ReadonlyMap<string, string> = new Map([
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['agent_call', 'agent'],
  ['invoke_workflow', 'workflow'],
  ['agent_step', 'step'],
]);

function typeWithoutOperation(attributes: OtelMap): KnownType | undefined {
  if (attributes.has('gen_ai.tool.name')) return 'tool_call';
  if (attributes.has(SERVED)) return 'llm_call';
  if (!attributes.has('gen_ai.request.model')) return undefined;
  return hasAny(attributes, ANSWERED) ? 'llm_call' : undefined;
}

/** How long a server of models took (vLLM, SGLang, TensorRT-LLM), which reports neither an operation nor the model. */
const SERVED = 'gen_ai.latency.e2e';

const ANSWERED = [
  'gen_ai.response.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.response.prompt_tokens',
  'gen_ai.response.completion_tokens',
];
const AGENT_NAME = ['gen_ai.agent.name'];
const WORKFLOW_NAME = ['gen_ai.workflow.name', 'gen_ai.agent.name'];
