import {
  completionOf,
  conversationOf,
  defineDialect,
  idAt,
  objectOf,
  protobufMember,
  saidJson,
  takeAt,
  reportedGeminiUsage,
  type Given,
  type OtelSpan,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/**
 * Google's Agent Development Kit: GenAI attributes, and requests and answers in Gemini's own format under
 * `gcp.vertex.agent.` (docs/spec/otlp.md#google-adk).
 */
export default defineDialect({
  name: 'google-adk',
  setup: () => ({ claims: { attributes: ['gcp.vertex.agent.*'] }, read }),
});

function read({ attributes }: OtelSpan): SpanReading {
  const request = takeAt(attributes, 'gcp.vertex.agent.llm_request', saidJson);
  const response = takeAt(attributes, 'gcp.vertex.agent.llm_response', saidJson);
  return {
    usage: usageOf(response),
    input: inputOf(request) ?? reported(takeAt(attributes, 'gcp.vertex.agent.tool_call_args', saidJson)),
    output: outputOf(response) ?? reported(takeAt(attributes, 'gcp.vertex.agent.tool_response', saidJson)),
    session: idAt(attributes, 'gcp.vertex.agent.session_id'),
  };
}

/** The kit writes `{}` on spans that have no such value, and `<not serializable>` where content is not to be reported. */
function reported(given: Given | undefined): Given | undefined {
  return given === undefined || isNothing(given.value) ? undefined : given;
}

const isNothing = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** The parameters stay in the attribute, which is stored as sent because not all of it is in the messages. */
function inputOf(request: Given | undefined): Given | undefined {
  const { contents, config } = objectOf(request?.value);
  if (!Array.isArray(contents)) return undefined;
  return { value: conversationOf(contents, protobufMember(objectOf(config), 'systemInstruction')) };
}

function outputOf(response: Given | undefined): Given | undefined {
  const answer = objectOf(response?.value);
  const { content } = answer;
  if (!Array.isArray(objectOf(content)['parts'])) return undefined;
  const reason = protobufMember(answer, 'finishReason');
  return { value: completionOf([content], typeof reason === 'string' ? [reason] : []) };
}

/** Gemini's own counts: attributes leave out the tokens of the cache, of thoughts and of what its tools gave back. */
const usageOf = (response: Given | undefined): ReadUsage | undefined =>
  reportedGeminiUsage(protobufMember(objectOf(response?.value), 'usageMetadata'));
