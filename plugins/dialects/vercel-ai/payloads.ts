import {
  asConversation,
  completionOf,
  conversationOf,
  listOf,
  looseJson,
  namesOf,
  objectOf,
  plainText,
  saidJson,
  takeAt,
  textAt,
  type Given,
  type OtelMap,
  type ReadKind,
} from '@spandrel/plugin-api';

/** Messages of a call, the prompt of what wraps calls, texts to embed, or a tool's arguments. */
export function inputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, TOOL_ARGUMENTS, saidJson);
  if (kind?.type === 'embedding') return takeAt(attributes, VALUE, saidJson) ?? eachParsed(takeAt(attributes, VALUES));
  const messages = takeAt(attributes, MESSAGES, saidJson);
  if (messages) return asConversation(messages);
  const prompt = takeAt(attributes, PROMPT, saidJson);
  return prompt && promptOf(prompt);
}

/** What a call or its wrapper answered, or a tool's result; embeddings have none, as vectors are not stored. */
export function outputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, TOOL_RESULT, saidJson);
  if (kind?.type === 'embedding') return undefined;
  const said = takeAt(attributes, TEXT, plainText) ?? takeAt(attributes, OBJECT, plainText);
  const calls = takeAt(attributes, CALLS, saidJson);
  const reasoning = takeAt(attributes, REASONING, plainText);
  const reason = textAt(attributes, FINISH);
  if (!said && !calls && !reasoning && reason === undefined) return undefined;
  const message = {
    role: 'assistant',
    content: said?.value ?? null,
    ...(calls && { tool_calls: listOf(calls.value) }),
    ...(reasoning && { reasoning: reasoning.value }),
  };
  return {
    value: completionOf([message], reason === undefined ? [] : [reason]),
    from: namesOf(said, calls, reasoning),
  };
}

/** `{system, prompt}` or `{system, messages}`; the attribute stays where there is more in it. */
function promptOf(given: Given): Given {
  const { system, prompt, messages, ...rest } = objectOf(given.value);
  const asked = messages ?? prompt;
  if (asked === undefined && system === undefined) return asConversation(given);
  const isWhole = Object.keys(rest).length === 0 && (messages === undefined || prompt === undefined);
  return { value: conversationOf(asked ?? null, system), from: isWhole ? given.from : undefined };
}

/** Every value of a list is a JSON text of its own. */
function eachParsed(given: Given | undefined): Given | undefined {
  if (!given) return undefined;
  const parsed = (item: unknown): unknown => (typeof item === 'string' ? saidJson(item) : item);
  return { ...given, value: Array.isArray(given.value) ? given.value.map(parsed) : looseJsonOf(given.value) };
}

const looseJsonOf = (value: unknown): unknown => (typeof value === 'string' ? looseJson(value) : value);

const MESSAGES = ['ai.prompt.messages'];
const PROMPT = ['ai.prompt'];
const VALUE = ['ai.value'];
const VALUES = ['ai.values'];
const TOOL_ARGUMENTS = ['ai.toolCall.args'];
const TOOL_RESULT = ['ai.toolCall.result'];
const TEXT = ['ai.response.text', 'ai.result.text'];
const OBJECT = ['ai.response.object', 'ai.result.object'];
const CALLS = ['ai.response.toolCalls', 'ai.result.toolCalls'];
const REASONING = ['ai.response.reasoning'];
const FINISH = ['ai.response.finishReason', 'ai.finishReason', 'ai.result.finishReason'];
