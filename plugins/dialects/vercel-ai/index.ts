import {
  amountAt,
  defineDialect,
  flagAt,
  idAt,
  takeMembers,
  textAt,
  textsAt,
  type GivenMembers,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
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
  type Given,
} from '@spandrel/plugin-api';
import { usageOf } from './usage.js';

/**
 * The AI SDK of Vercel, versions 3 to 6, and the legacy form of 7. The new form of 7 is GenAI conventions with a few
 * attributes of its own (docs/spec/otlp.md#vercel-ai).
 */
export default defineDialect({
  name: 'vercel-ai',
  setup: () => ({ claims: { attributes: ['ai.*'], scopes: ['ai'] }, read }),
});

function read({ attributes }: OtelSpan): SpanReading {
  const operation = textAt(attributes, 'ai.operationId') ?? firstWord(textAt(attributes, OPERATION_NAME));
  const kind = operation === undefined ? undefined : kindOf(operation, attributes);
  return {
    kind,
    model: textAt(attributes, 'ai.model.id'),
    provider: textAt(attributes, 'ai.model.provider'),
    responseModel: textAt(attributes, 'ai.response.model'),
    responseId: textAt(attributes, 'ai.response.id'),
    usage: usageOf(attributes),
    input: inputOf(attributes, kind),
    output: outputOf(attributes, kind),
    request: takeMembers(attributes, 'ai.settings.', isContext),
    streaming: isStreaming(operation, attributes),
    timeToFirstTokenMs: amountAt(attributes, ['ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk']),
    metadata: metadataOf(attributes),
    session: idAt(attributes, ['ai.telemetry.metadata.sessionId', 'ai.settings.context.sessionId']),
    user: idAt(attributes, ['ai.telemetry.metadata.userId', 'ai.settings.context.userId']),
    tags: textsAt(attributes, 'ai.telemetry.metadata.tags') ?? textsAt(attributes, 'ai.settings.context.tags'),
  };
}

/** Followed by a blank and the application's own name of the function. */
const OPERATION_NAME = ['operation.name'];
/** The context of a call is its metadata. */
const isContext = (member: string): boolean => member.startsWith('context.');

function firstWord(text: string | undefined): string | undefined {
  if (text === undefined || !text.startsWith('ai.')) return undefined;
  const blank = text.indexOf(' ');
  return blank === -1 ? text : text.slice(0, blank);
}

function kindOf(operation: string, attributes: OtelMap): ReadKind {
  if (operation.startsWith('ai.embed')) return { type: 'embedding' };
  if (operation.endsWith('.doGenerate') || operation.endsWith('.doStream')) return { type: 'llm_call' };
  if (operation === 'ai.toolCall') {
    return {
      type: 'tool_call',
      name: textAt(attributes, 'ai.toolCall.name'),
      callId: textAt(attributes, 'ai.toolCall.id'),
    };
  }
  const kind = WRAPPERS.has(operation) ? 'agent' : operation.slice('ai.'.length);
  return { type: 'custom', kind, name: textAt(attributes, 'ai.telemetry.functionId') };
}

const WRAPPERS = new Set(['ai.generateText', 'ai.streamText', 'ai.generateObject', 'ai.streamObject']);

function isStreaming(operation: string | undefined, attributes: OtelMap): boolean | undefined {
  if (operation?.endsWith('.doStream')) return true;
  if (operation?.endsWith('.doGenerate')) return false;
  return flagAt(attributes, 'gen_ai.request.stream');
}

/** The application's metadata without what is the trace's; version 7 calls it the context. */
function metadataOf(attributes: OtelMap): GivenMembers | undefined {
  return (
    takeMembers(attributes, 'ai.telemetry.metadata.', isTheTraces) ??
    takeMembers(attributes, 'ai.settings.context.', isTheTraces)
  );
}

const isTheTraces = (member: string): boolean => member === 'sessionId' || member === 'userId' || member === 'tags';

/** Messages of a call, the prompt of what wraps calls, texts to embed, or a tool's arguments. */
function inputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, 'ai.toolCall.args', saidJson);
  if (kind?.type === 'embedding')
    return takeAt(attributes, 'ai.value', saidJson) ?? eachParsed(takeAt(attributes, 'ai.values'));
  const messages = takeAt(attributes, 'ai.prompt.messages', saidJson);
  if (messages) return asConversation(messages);
  const prompt = takeAt(attributes, 'ai.prompt', saidJson);
  return prompt && promptOf(prompt);
}

/** What a call or its wrapper answered, or a tool's result; embeddings have none, as vectors are not stored. */
function outputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, 'ai.toolCall.result', saidJson);
  if (kind?.type === 'embedding') return undefined;
  const said = takeAt(attributes, TEXT, plainText) ?? takeAt(attributes, OBJECT, plainText);
  const calls = takeAt(attributes, ['ai.response.toolCalls', 'ai.result.toolCalls'], saidJson);
  const reasoning = takeAt(attributes, 'ai.response.reasoning', plainText);
  const reason = textAt(attributes, ['ai.response.finishReason', 'ai.finishReason', 'ai.result.finishReason']);
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

const TEXT = ['ai.response.text', 'ai.result.text'];
const OBJECT = ['ai.response.object', 'ai.result.object'];
