import {
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  itemsOf,
  looseJson,
  looseValue,
  messageOfChoice,
  objectOf,
  plainText,
  saidByModel,
  saidJson,
  takeAt,
  takeList,
  textAt,
  type ChatMessage,
  type Given,
  type OtelMap,
  type ReadKind,
  isPlainMessage,
  textOf,
  without,
} from '@spandrel/plugin-api';

/**
 * Messages, texts to embed, a query, or `input.value`: the first that the kind of span reports.
 * @param system a system prompt among the parameters.
 */
export function inputOf(attributes: OtelMap, kind: ReadKind | undefined, system: unknown): Given | undefined {
  switch (kind?.type) {
    case 'llm_call': {
      const messages = messagesIn(attributes);
      return messages && { ...messages, value: withSystem(messages.value, system) };
    }
    case 'embedding':
      return embeddedTexts(attributes) ?? takeValue(attributes, 'input');
    case 'retrieval':
      return takeAt(attributes, 'reranker.query', plainText) ?? takeValue(attributes, 'input');
    case 'tool_call':
      return takeValue(attributes, 'input') ?? takeAt(attributes, TOOL_ARGUMENTS, saidJson);
    default:
      return takeValue(attributes, 'input');
  }
}

function messagesIn(attributes: OtelMap): Given<ChatMessage[]> | undefined {
  const messages = takeList(attributes, 'llm.input_messages.');
  if (messages) {
    const value = conversationOf(messages.value.map(messageOf));
    return { ...messages, value: completed(value, () => conversationOf(takeValue(attributes, 'input')?.value)) };
  }
  const prompts = takeList(attributes, 'llm.prompts.');
  if (prompts) return { ...prompts, value: conversationOf(prompts.value.map(textOfPrompt)) };
  const value = takeValue(attributes, 'input');
  return value && asConversation(value);
}

const withSystem = (messages: ChatMessage[], system: unknown): ChatMessage[] =>
  messages[0]?.role === 'system' || system === undefined ? messages : [...conversationOf(null, system), ...messages];

/** A completion, documents, or `output.value`; vectors are no output. */
export function outputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  switch (kind?.type) {
    case 'llm_call':
      return completionIn(attributes);
    case 'embedding':
      return undefined;
    case 'retrieval':
      return documents(attributes) ?? takeValue(attributes, 'output');
    default:
      return takeValue(attributes, 'output');
  }
}

function completionIn(attributes: OtelMap): Given | undefined {
  const reason = textAt(attributes, 'llm.finish_reason');
  const reasons = reason === undefined ? [] : [reason];
  const messages = takeList(attributes, 'llm.output_messages.');
  if (messages) {
    const value = conversationOf(messages.value.map(messageOf));
    const said = value.length > 1 || value.some(isBare) ? takeValue(attributes, 'output')?.value : undefined;
    const read = completionOf(
      completed(value, () => answersIn(said)),
      reasons,
    );
    // The items of a response are messages here, and one answer there.
    const items = itemsOf(objectOf(said)['output']);
    if (!items) return { ...messages, value: read };
    const { choices: _choices, ...whole } = completionOf(items, reasons) ?? {};
    return { ...messages, value: { ...read, ...whole } };
  }
  const choices = takeList(attributes, 'llm.choices.');
  if (choices) return { ...choices, value: completionOf(choices.value.map(textOfChoice), reasons) };
  const value = takeValue(attributes, 'output');
  if (!value) return reason === undefined ? undefined : { value: completionOf([], reasons) };
  return asCompletion({ ...value, value: saidByModel(value.value) }, reasons);
}

/** What `output.value` says: an answer in OpenAI's format, LangChain's generations, or messages. */
function answersIn(value: unknown): ChatMessage[] {
  const { choices, generations } = objectOf(value);
  if (Array.isArray(choices)) return conversationOf(choices.map(messageOfChoice));
  if (Array.isArray(generations)) return conversationOf(generations.flat().map(messageOfGeneration));
  return conversationOf(saidByModel(value));
}

function messageOfGeneration(generation: unknown): unknown {
  const { message, text } = objectOf(generation);
  return message ?? { role: 'assistant', content: text ?? null };
}

/** Messages, each without a content with that of the one in its place among those that `input.value` or `output.value` has. */
function completed(messages: ChatMessage[], reported: () => ChatMessage[]): ChatMessage[] {
  if (!messages.some(isBare)) return messages;
  const others = reported();
  // Where a system prompt is among one of them alone, the last ones still match.
  const skipped = others.length - messages.length;
  return messages.map((message, at) => {
    const other = isBare(message) ? others[at + skipped] : undefined;
    return other?.role === message.role ? { ...other, ...withoutContent(message) } : message;
  });
}

/** Whether a message has neither a content nor calls in its place. */
const isBare = ({ content, tool_calls: calls }: ChatMessage): boolean =>
  (content === null || content === '') && calls === undefined;

function withoutContent({ content: _content, ...rest }: ChatMessage): Record<string, unknown> {
  return rest;
}

/** Items keep what stands beside the one text that they are reported for. */
function textOfPrompt(item: unknown): unknown {
  return textAlone(item, 'prompt') ?? item;
}

function textOfChoice(item: unknown): unknown {
  return { role: 'assistant', content: textAlone(item, 'completion') ?? item };
}

function textAlone(item: unknown, name: string): unknown {
  const { [name]: named, ...beside } = objectOf(item);
  const { text, ...others } = objectOf(named);
  return Object.keys(beside).length === 0 && Object.keys(others).length === 0 ? text : undefined;
}

/** `input.value` or `output.value`: JSON where the type beside it says so. */
function takeValue(attributes: OtelMap, side: 'input' | 'output'): Given | undefined {
  const type = attributes.get(`${side}.mime_type`);
  return takeAt(attributes, `${side}.value`, type === 'application/json' ? saidJson : looseJson);
}

/** Texts without their vectors, which are not stored. */
function embeddedTexts(attributes: OtelMap): Given | undefined {
  const taken = takeList(attributes, 'embedding.embeddings.', (name) => !name.endsWith('.embedding.text'));
  if (!taken) return undefined;
  const texts = taken.value.map((item) => objectOf(objectOf(item)['embedding'])['text']);
  return { ...taken, value: texts.length === 1 ? texts[0] : texts };
}

function documents(attributes: OtelMap): Given | undefined {
  for (const prefix of ['retrieval.documents.', 'reranker.output_documents.']) {
    const taken = takeList(attributes, prefix);
    if (taken) return { ...taken, value: taken.value.map(documentOf) };
  }
  return undefined;
}

function documentOf(item: unknown): unknown {
  const { document, ...beside } = objectOf(item);
  if (document === undefined) return item;
  const { metadata, ...rest } = objectOf(document);
  const own = { ...rest, ...(metadata !== undefined && { metadata: looseValue(metadata) }) };
  return together(own, beside, 'beside');
}

const TOOL_ARGUMENTS = ['tool_call.function.arguments', 'tool.parameters'];

/** A message that OpenInference flattens (`message.contents.0.message_content.text` …), once it is put together again. */
function messageOf(item: unknown): unknown {
  const { message, ...beside } = objectOf(item);
  if (message === undefined) return item;
  const isAlone = Object.keys(beside).length === 0;
  if (isAlone && isPlainMessage(objectOf(message))) return message;
  const { contents, content, tool_calls: calls, ...rest } = objectOf(message);
  const said = {
    ...rest,
    role: textOf(rest['role']) ?? 'assistant',
    content: Array.isArray(contents) ? withText(content, contents.map(partOf)) : (content ?? null),
    ...(calls !== undefined && { tool_calls: Array.isArray(calls) ? calls.map(callOf) : calls }),
  };
  return isAlone ? said : together(said, beside, 'beside');
}

/** Members of two objects; where they share a name, the second as one member of the first. */
function together(
  first: Record<string, unknown>,
  second: Readonly<Record<string, unknown>>,
  name: string,
): Record<string, unknown> {
  const isClear = Object.keys(second).every((member) => !Object.hasOwn(first, member));
  return isClear ? { ...first, ...second } : { ...first, [name]: second };
}

/** Some instrumentations report a text twice, as content and as part. */
function withText(content: unknown, parts: unknown[]): unknown[] {
  if (content === undefined || content === null || content === '') return parts;
  const isThere = parts.some((part) => objectOf(part)['text'] === content);
  return isThere ? parts : [typeof content === 'string' ? { type: 'text', text: content } : content, ...parts];
}

/** A part without the names that say again what it is; a call of a tool stands beside the part that announces it. */
function partOf(item: unknown): unknown {
  const { message_content: part, tool_call: call, ...beside } = objectOf(item);
  if (part === undefined && call === undefined) return item;
  const { image, tool_call: ownCall, ...rest } = objectOf(part);
  const called = call ?? ownCall;
  if (called !== undefined) {
    const announced = together({ ...objectOf(called), type: 'tool_call' }, without(rest, 'type'), 'message_content');
    return together(announced, beside, 'beside');
  }
  if (image === undefined) return together(rest, beside, 'beside');
  const { image: nested, ...others } = objectOf(image);
  const isUrl = Object.keys(others).length === 0 && textOf(objectOf(nested)['url']) !== null;
  return together({ ...rest, image: isUrl ? nested : image }, beside, 'beside');
}

/** An element of `tool_calls`, whose members stand in `tool_call`. */
function callOf(item: unknown): unknown {
  const { tool_call: call, ...beside } = objectOf(item);
  return call === undefined ? item : together({ ...objectOf(call) }, beside, 'beside');
}
