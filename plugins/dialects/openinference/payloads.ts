import {
  attributeNames,
  completionOf,
  conversationOf,
  listOf,
  looseJson,
  objectOf,
  plainText,
  saidByModel,
  saidJson,
  takeAt,
  takeTree,
  textAt,
  type Given,
  type OtelMap,
  type ReadKind,
} from '@spandrel/plugin-api';
import { messageOf } from './message.js';

/** Messages, texts to embed, a query, or `input.value`: the first that the kind of span reports. */
export function inputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  switch (kind?.type) {
    case 'llm_call': {
      const messages = takeTree(attributes, 'llm.input_messages.');
      if (messages) return { ...messages, value: conversationOf(listOf(messages.value).map(messageOf)) };
      const prompts = takeTree(attributes, 'llm.prompts.');
      if (prompts) return { ...prompts, value: conversationOf(listOf(prompts.value).map(textOfPrompt)) };
      const value = takeValue(attributes, 'input');
      return value && { ...value, value: conversationOf(value.value) };
    }
    case 'embedding':
      return embeddedTexts(attributes) ?? takeValue(attributes, 'input');
    case 'retrieval':
      return takeAt(attributes, QUERY, plainText) ?? takeValue(attributes, 'input');
    case 'tool_call':
      return takeValue(attributes, 'input') ?? takeAt(attributes, TOOL_ARGUMENTS, saidJson);
    default:
      return takeValue(attributes, 'input');
  }
}

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
  const reason = textAt(attributes, FINISH_REASON);
  const reasons = reason === undefined ? [] : [reason];
  const messages = takeTree(attributes, 'llm.output_messages.');
  if (messages) return { ...messages, value: completionOf(listOf(messages.value).map(messageOf), reasons) };
  const choices = takeTree(attributes, 'llm.choices.');
  const value = choices
    ? { ...choices, value: listOf(choices.value).map(textOfChoice) }
    : takeValue(attributes, 'output');
  if (!value) return reason === undefined ? undefined : { value: completionOf([], reasons) };
  return { ...value, value: completionOf(saidByModel(value.value), reasons) };
}

function textOfPrompt(item: unknown): unknown {
  return objectOf(objectOf(item)['prompt'])['text'] ?? item;
}

function textOfChoice(item: unknown): unknown {
  return { role: 'assistant', content: objectOf(objectOf(item)['completion'])['text'] ?? item };
}

/** `input.value` or `output.value`: JSON where the type beside it says so. */
function takeValue(attributes: OtelMap, side: 'input' | 'output'): Given | undefined {
  const type = attributes.get(`${side}.mime_type`);
  return takeAt(attributes, [`${side}.value`], type === 'application/json' ? saidJson : looseJson);
}

/** Texts without their vectors, which are not stored. */
function embeddedTexts(attributes: OtelMap): Given | undefined {
  const taken = takeTree(attributes, 'embedding.embeddings.', (name) => !name.endsWith('.embedding.text'));
  if (!taken) return undefined;
  const texts = listOf(taken.value).map((item) => objectOf(objectOf(item)['embedding'])['text']);
  return { ...taken, value: texts.length === 1 ? texts[0] : texts };
}

function documents(attributes: OtelMap): Given | undefined {
  for (const prefix of DOCUMENTS) {
    const taken = takeTree(attributes, prefix);
    if (taken) return { ...taken, value: listOf(taken.value).map(documentOf) };
  }
  return undefined;
}

function documentOf(item: unknown): unknown {
  const { document } = objectOf(item);
  if (document === undefined) return item;
  const { metadata, ...rest } = objectOf(document);
  return { ...rest, ...(metadata !== undefined && { metadata: parsed(metadata) }) };
}

const parsed = (value: unknown): unknown => (typeof value === 'string' ? looseJson(value) : value);

const QUERY = attributeNames('reranker.query');
const DOCUMENTS = ['retrieval.documents.', 'reranker.output_documents.'];
const TOOL_ARGUMENTS = attributeNames('tool_call.function.arguments', 'tool.parameters');
const FINISH_REASON = attributeNames('llm.finish_reason');
