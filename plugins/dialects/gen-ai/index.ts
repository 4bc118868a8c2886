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
} from '@spandrel/plugin-api';
import { kindOf } from './kind.js';
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
  const firstMs = timeToFirstTokenMs(attributes);
  return {
    kind,
    model: textAt(attributes, MODEL),
    responseModel: textAt(attributes, RESPONSE_MODEL),
    responseId: textAt(attributes, RESPONSE_ID),
    provider: textAt(attributes, PROVIDER),
    usage: usageOf(span),
    input: inputOf(span, kind),
    output: outputOf(span, kind),
    request: takeMembers(attributes, 'gen_ai.request.', isNoParameter),
    streaming: isStreaming(attributes, firstMs),
    timeToFirstTokenMs: firstMs,
    user: idAt(attributes, USER),
  };
}

const MODEL = ['gen_ai.request.model'];
const RESPONSE_MODEL = ['gen_ai.response.model'];
const RESPONSE_ID = ['gen_ai.response.id'];
const PROVIDER = ['gen_ai.provider.name', 'gen_ai.system'];
const STREAM = [
  'gen_ai.request.stream',
  'gen_ai.request.streaming',
  'gen_ai.response.streaming',
  'gen_ai.is_streaming',
  'llm.is_streaming',
];
const OPERATION = ['gen_ai.operation.name'];
const USER = ['gen_ai.user'];
const isNoParameter = (member: string): boolean => member === 'model' || member === 'stream';

/** Only a stream has a first chunk. */
function isStreaming(attributes: OtelMap, firstMs: number | undefined): boolean | undefined {
  const reported = flagAt(attributes, STREAM);
  if (reported !== undefined || firstMs === undefined) return reported ?? isStreamingOperation(attributes);
  return true;
}

/** Semantic Kernel has operations of their own for streams: `chat.streaming_completions`. */
const isStreamingOperation = (attributes: OtelMap): true | undefined =>
  textAt(attributes, OPERATION)?.includes('.streaming_') === true ? true : undefined;

const FIRST_SECONDS = ['gen_ai.response.time_to_first_chunk', 'gen_ai.client.operation.time_to_first_chunk'];
/** Strands reports milliseconds. */
const FIRST_MS = ['gen_ai.server.time_to_first_token'];

function timeToFirstTokenMs(attributes: OtelMap): number | undefined {
  const seconds = amountAt(attributes, FIRST_SECONDS);
  return seconds === undefined ? amountAt(attributes, FIRST_MS) : seconds * 1000;
}
