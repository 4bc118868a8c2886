import {
  attributeNames,
  completionOf,
  conversationOf,
  defineDialect,
  listOf,
  objectOf,
  saidJson,
  takeAt,
  textAt,
  type Given,
  type OtelSpan,
  type SpanReading,
} from '@spandrel/plugin-api';
import { messageOf } from './gemini-message.js';

/**
 * Google's Agent Development Kit: GenAI attributes, and requests and answers in Gemini's own format under
 * `gcp.vertex.agent.` (docs/spec/otlp.md#google-adk).
 */
export default defineDialect({
  name: 'google-adk',
  setup: () => ({ claims: { attributes: ['gcp.vertex.agent.*'] }, read }),
});

function read({ attributes }: OtelSpan): SpanReading {
  const request = takeAt(attributes, REQUEST, saidJson);
  const response = takeAt(attributes, RESPONSE, saidJson);
  return {
    input: inputOf(request) ?? told(takeAt(attributes, TOOL_ARGUMENTS, saidJson)),
    output: outputOf(response) ?? told(takeAt(attributes, TOOL_RESPONSE, saidJson)),
    session: textAt(attributes, SESSION),
  };
}

const REQUEST = attributeNames('gcp.vertex.agent.llm_request');
const RESPONSE = attributeNames('gcp.vertex.agent.llm_response');
const TOOL_ARGUMENTS = attributeNames('gcp.vertex.agent.tool_call_args');
const TOOL_RESPONSE = attributeNames('gcp.vertex.agent.tool_response');
const SESSION = attributeNames('gcp.vertex.agent.session_id');

/** The kit writes `{}` on spans that have no such value, and `<not serializable>` where content is not to be told. */
function told(given: Given | undefined): Given | undefined {
  return given === undefined || isNothing(given.value) ? undefined : given;
}

const isNothing = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** The parameters stay in the attribute, which is stored as sent because not all of it is in the messages. */
function inputOf(request: Given | undefined): Given | undefined {
  const { contents, config } = objectOf(request?.value);
  if (!Array.isArray(contents)) return undefined;
  const system = objectOf(config)['system_instruction'];
  const prompt = typeof system === 'string' ? system : listOf(messageOf(system)?.['content']);
  return {
    value: conversationOf(
      contents.map((content) => messageOf(content) ?? content),
      prompt,
    ),
  };
}

function outputOf(response: Given | undefined): Given | undefined {
  const { content, finish_reason: reason } = objectOf(response?.value);
  const message = messageOf(content);
  if (!message) return undefined;
  return { value: completionOf([message], typeof reason === 'string' ? [reason] : []) };
}
