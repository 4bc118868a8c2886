import {
  completionOf,
  conversationOf,
  defineDialect,
  idAt,
  listOf,
  objectOf,
  saidJson,
  takeAt,
  reportedGeminiUsage,
  type Given,
  type OtelSpan,
  type ReadUsage,
  type SpanReading,
  textOf,
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
  const system = memberOf(objectOf(config), 'system_instruction');
  const prompt = typeof system === 'string' ? system : listOf(messageOf(system)?.['content']);
  return {
    value: conversationOf(
      contents.map((content) => messageOf(content) ?? content),
      prompt,
    ),
  };
}

function outputOf(response: Given | undefined): Given | undefined {
  const answer = objectOf(response?.value);
  const message = messageOf(answer['content']);
  if (!message) return undefined;
  const reason = memberOf(answer, 'finish_reason');
  return { value: completionOf([message], typeof reason === 'string' ? [reason] : []) };
}

/** Gemini's own counts: attributes leave out the tokens of the cache, of thoughts and of what its tools gave back. */
const usageOf = (response: Given | undefined): ReadUsage | undefined =>
  reportedGeminiUsage(memberOf(objectOf(response?.value), 'usage_metadata'));

/**
 * A content of Gemini's (`{role, parts: [{text}, {function_call}, {function_response}]}`) as a message.
 * @returns `undefined` for what is none.
 */
function messageOf(content: unknown): Record<string, unknown> | undefined {
  const { role, parts } = objectOf(content);
  if (!Array.isArray(parts)) return undefined;
  return {
    role: role === 'model' ? 'assistant' : (textOf(role) ?? 'user'),
    content: listOf(parts).map(partOf),
  };
}

/** A member by its name in Python's kit, else by that in JavaScript's; `null` when it is not there. */
function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return object[name] ?? object[name.replace(/_./g, (joint) => joint[1]!.toUpperCase())] ?? null;
}

function partOf(part: unknown): unknown {
  const object = objectOf(part);
  const { text, thought } = object;
  if (typeof text === 'string') return thought === true ? { type: 'reasoning', content: text } : { type: 'text', text };
  const call = memberOf(object, 'function_call');
  if (call !== null) {
    const { id, name, args } = objectOf(call);
    return { type: 'tool_call', id: id ?? null, name, arguments: args ?? null };
  }
  const response = memberOf(object, 'function_response');
  if (response !== null) {
    const { id, name, response: result } = objectOf(response);
    return { type: 'tool_call_response', id: id ?? null, name, response: result ?? null };
  }
  return part;
}
