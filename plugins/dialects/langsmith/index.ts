import {
  defineDialect,
  takeAt,
  takeMembers,
  textAt,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';
import { inputOf, outputOf } from './run-payloads.js';

/** LangSmith's SDKs with OpenTelemetry switched on: runs as spans (docs/spec/otlp.md#langsmith). */
export default defineDialect({
  name: 'langsmith',
  setup: () => ({ claims: { attributes: ['langsmith.*'] }, read }),
});

function read({ attributes, name }: OtelSpan): SpanReading {
  const kind = kindOf(textAt(attributes, KIND), name);
  return {
    kind,
    model: textAt(attributes, MODEL),
    provider: textAt(attributes, PROVIDER),
    input: inputOf(takeAt(attributes, INPUT), kind),
    output: outputOf(takeAt(attributes, OUTPUT), kind),
    metadata: takeMembers(attributes, 'langsmith.metadata.', isTheTraces),
    session: textAt(attributes, SESSION),
    user: textAt(attributes, USER),
    tags: tagsOf(attributes),
    traceName: textAt(attributes, TRACE_NAME),
  };
}

const KIND = ['langsmith.span.kind'];
const MODEL = ['gen_ai.request.model', 'langsmith.metadata.ls_model_name'];
const PROVIDER = ['langsmith.metadata.ls_provider'];
const INPUT = ['gen_ai.prompt'];
const OUTPUT = ['gen_ai.completion'];
const SESSION = ['langsmith.metadata.session_id', 'langsmith.metadata.thread_id', 'langsmith.metadata.conversation_id'];
const USER = ['langsmith.metadata.user_id'];
const TRACE_NAME = ['langsmith.trace.name'];

const THE_TRACES = new Set(['session_id', 'thread_id', 'conversation_id', 'user_id']);
const isTheTraces = (member: string): boolean => THE_TRACES.has(member);

function kindOf(told: string | undefined, name: string): ReadKind | undefined {
  switch (told?.toLowerCase()) {
    case undefined:
      return undefined;
    case 'llm':
      return { type: 'llm_call' };
    case 'embedding':
      return { type: 'embedding' };
    case 'tool':
      return { type: 'tool_call', name };
    case 'retriever':
      return { type: 'retrieval' };
    default:
      return { type: 'custom', kind: told!.toLowerCase() };
  }
}

/** One text, `a, b`. */
function tagsOf(attributes: OtelMap): string[] | undefined {
  const tags = textAt(attributes, ['langsmith.span.tags'])
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return tags && tags.length > 0 ? tags : undefined;
}
