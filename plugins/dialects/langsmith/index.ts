import {
  defineDialect,
  flagAt,
  idAt,
  kindOfType,
  takeAt,
  takeMembers,
  textAt,
  type OtelMap,
  type OtelSpan,
  type SpanReading,
} from '@spandrel/plugin-api';
import { outputOf, questionOf } from './run-payloads.js';
import { usageOf } from './usage.js';

/** LangSmith's SDKs with OpenTelemetry switched on: runs as spans (docs/spec/otlp.md#langsmith). */
export default defineDialect({
  name: 'langsmith',
  setup: () => ({ claims: { attributes: ['langsmith.*'] }, read }),
});

function read({ attributes, events, name, parentSpanId }: OtelSpan): SpanReading {
  const reported = textAt(attributes, KIND);
  const kind = reported === undefined ? undefined : kindOfType(reported, name);
  const model = textAt(attributes, MODEL);
  return {
    kind,
    model,
    provider: textAt(attributes, PROVIDER),
    usage: usageOf(attributes),
    ...questionOf(takeAt(attributes, INPUT), kind, model),
    output: outputOf(takeAt(attributes, OUTPUT), kind),
    streaming: flagAt(attributes, STREAMING),
    metadata: takeMembers(attributes, 'langsmith.metadata.', isTheTraces),
    session: idAt(attributes, SESSION),
    user: idAt(attributes, USER),
    tags: tagsOf(attributes),
    failure: failureOf(events),
    // Every run has it, with its own name.
    traceName: parentSpanId === null ? textAt(attributes, TRACE_NAME) : undefined,
  };
}

const KIND = ['langsmith.span.kind'];
const MODEL = ['gen_ai.request.model', 'langsmith.metadata.ls_model_name'];
const PROVIDER = ['langsmith.metadata.ls_provider'];
const INPUT = ['gen_ai.prompt'];
const OUTPUT = ['gen_ai.completion'];
const STREAMING = ['langsmith.request.streaming'];
const SESSION = ['langsmith.metadata.session_id', 'langsmith.metadata.thread_id', 'langsmith.metadata.conversation_id'];
const USER = ['langsmith.metadata.user_id'];
const TAGS = ['langsmith.span.tags'];
const EXCEPTION = ['exception.message', 'exception.type'];
const TRACE_NAME = ['langsmith.trace.name'];

const THE_TRACES = new Set(['session_id', 'thread_id', 'conversation_id', 'user_id']);
const isTheTraces = (member: string): boolean => THE_TRACES.has(member);

/** The SDK for JavaScript reports a failed run by an exception event, and sets the span's status to OK. */
function failureOf(events: OtelSpan['events']): string | undefined {
  const exception = events.find(({ name }) => name === 'exception');
  return exception && (textAt(exception.attributes, EXCEPTION) ?? 'error');
}

/** One text, `a, b`. */
function tagsOf(attributes: OtelMap): string[] | undefined {
  const tags = textAt(attributes, TAGS)
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return tags && tags.length > 0 ? tags : undefined;
}
