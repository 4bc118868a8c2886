import { listOf, objectOf, textOf, without, type JsonObject } from '../wire/lenient-json.js';

/**
 * A part of a message that has no `type`, as Gemini, Bedrock's Converse and Genkit write it (`{functionCall}`, `{toolUse}`,
 * `{toolRequest}` …), or with that name as its `type` (Strands), in the form of the GenAI conventions. Members that the form
 * has no name for stay beside it.
 * @returns any other part as it is.
 */
export function typedPart(part: unknown): unknown {
  const object = objectOf(part);
  const { type } = object;
  if (type !== undefined) return (FLAT.has(type) && FORMS.get(type as string)!(without(object, 'type'))) || part;
  if (object['thought'] === true && typeof object['text'] === 'string') {
    return { type: 'reasoning', content: object['text'], ...without(object, 'thought', 'text') };
  }
  if (typeof object['text'] === 'string') return part;
  for (const member in object) {
    const formOf = FORMS.get(member);
    const typed = formOf?.(object[member]);
    if (typed !== undefined) return { ...typed, ...without(object, member) };
  }
  return part;
}

/** Names that are no type of another form. */
const FLAT: ReadonlySet<unknown> = new Set([
  ...['toolUse', 'toolResult', 'functionCall', 'functionResponse', 'toolRequest', 'toolResponse'],
]);

type FormOf = (value: unknown) => JsonObject | undefined;

const callOf =
  (id: string, args: string, name = 'name'): FormOf =>
  (value) => {
    const call = objectOf(value);
    if (typeof call[name] !== 'string') return undefined;
    const rest = without(call, id, name, args);
    return { type: 'tool_call', id: call[id] ?? null, name: call[name], arguments: call[args] ?? null, ...rest };
  };

const resultOf =
  (id: string, result: string): FormOf =>
  (value) => {
    const given = objectOf(value);
    if (given[result] === undefined && given[id] === undefined) return undefined;
    const rest = without(given, id, result);
    return { type: 'tool_call_response', id: given[id] ?? null, response: valueOfResult(given[result]), ...rest };
  };

/** What a tool gave back, which Bedrock has as a list of parts; one that is JSON, `[{json: {…}}]`, is its value. */
export function valueOfResult(result: unknown): unknown {
  const [only, ...others] = listOf(result);
  const { json, ...rest } = objectOf(only);
  return json !== undefined && others.length === 0 && Object.keys(rest).length === 0 ? json : (result ?? null);
}

/** Haystack has the call that a result is of beside it. */
const resultOfOrigin: FormOf = (value) => {
  const { origin, ...result } = objectOf(value);
  return resultOf('id', 'result')({ ...result, id: objectOf(origin)['id'] });
};

/** `{reasoningText: {text, signature}}` of Bedrock, `{reasoning_text}` of Haystack, or the text itself. */
const reasoningOf: FormOf = (value) => {
  if (typeof value === 'string') return { type: 'reasoning', content: value };
  const { reasoningText, reasoning_text: plain, ...rest } = objectOf(value);
  if (typeof plain === 'string') return { type: 'reasoning', content: plain, ...rest };
  const { text, ...signed } = objectOf(reasoningText);
  return textOf(text) === null ? undefined : { type: 'reasoning', content: text, ...signed, ...rest };
};

const FORMS: ReadonlyMap<string, FormOf> = new Map([
  ['toolUse', callOf('toolUseId', 'input')],
  ['toolResult', resultOf('toolUseId', 'content')],
  ['functionCall', callOf('id', 'args')],
  ['function_call', callOf('id', 'args')],
  ['functionResponse', resultOf('id', 'response')],
  ['function_response', resultOf('id', 'response')],
  ['toolRequest', callOf('ref', 'input')],
  ['toolResponse', resultOf('ref', 'output')],
  ['tool_call', callOf('id', 'arguments', 'tool_name')],
  ['tool_call_result', resultOfOrigin],
  ['reasoningContent', reasoningOf],
  ['reasoning', reasoningOf],
]);
