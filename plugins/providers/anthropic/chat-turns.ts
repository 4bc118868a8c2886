import {
  filledTextOf,
  listOf,
  objectOf,
  plainTextOf,
  readExactJson,
  textOf,
  type ChatMessage,
} from '@spandrel/plugin-api';

type Turn = Pick<ChatMessage, 'role' | 'content'>;

/**
 * Messages, recorded of whichever API, as Anthropic's: two roles, no members that it does not know, calls of tools and their
 * results as blocks, results that stand together in one turn. A call or a result without the other, which the API refuses,
 * is a text.
 */
export function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const called = new Set(messages.flatMap(({ tool_calls: calls }) => listOf(calls).map((call) => callOf(call).id)));
  const answered = new Set(messages.map(resultIdOf).filter((id) => id !== null && called.has(id)));
  const turns: Turn[] = [];
  let results: object[] | undefined;
  for (const message of messages) {
    const id = resultIdOf(message);
    if (!answered.has(id)) {
      results = undefined;
      turns.push({ role: message.role === 'assistant' ? 'assistant' : 'user', content: contentOf(message, answered) });
      continue;
    }
    if (!results) turns.push({ role: 'user', content: (results = []) });
    results.push(resultBlock(id!, message));
  }
  return turns;
}

/** The tools that a request with such turns must define; they are not to be called again. */
export function toolsOf(turns: readonly Turn[]): object {
  const blocks = turns.flatMap(({ content }) => listOf(content).map(objectOf));
  const names = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name));
  if (names.size === 0) return {};
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

/** Which call a message answers, `null` for one that is no result; Gemini's calls have no id, but the name of the tool. */
function resultIdOf({ role, tool_call_id: id, name }: ChatMessage): string | null {
  const isResult = filledTextOf(id) !== null || role === 'tool' || role === 'function';
  return isResult ? wordOf(filledTextOf(id) ?? name) : null;
}

function resultBlock(id: string, { content, is_error: isError }: ChatMessage): object {
  const isParts = Array.isArray(content) && content.every((part) => textOf(objectOf(part)['type']) !== null);
  const result = isParts ? content : plainTextOf(content ?? '');
  return { type: 'tool_result', tool_use_id: id, content: result, ...(isError === true && { is_error: true }) };
}

function contentOf({ content, tool_calls: calls }: ChatMessage, answered: ReadonlySet<string | null>): unknown {
  if (listOf(calls).length === 0) return Array.isArray(content) ? content : plainTextOf(content ?? '');
  const text = filledTextOf(content);
  return [
    ...(text === null ? listOf(content) : [{ type: 'text', text }]),
    ...listOf(calls).map((call) => {
      const { id, name, input } = callOf(call);
      return answered.has(id) ? { type: 'tool_use', id, name, input } : { type: 'text', text: plainTextOf(call) };
    }),
  ];
}

/** A call as OpenAI or a recording has it. */
function callOf(call: unknown) {
  const { id, name, arguments: given } = { ...objectOf(call), ...objectOf(objectOf(call)['function']) };
  const value = (typeof given === 'string' ? readExactJson(given) : given) ?? {};
  const isMembers = typeof value === 'object' && !Array.isArray(value);
  return { id: wordOf(filledTextOf(id) ?? name), name: wordOf(name), input: isMembers ? value : { arguments: value } };
}

/** A name or an id in the characters that the API takes; `null` for none. */
const wordOf = (word: unknown): string | null =>
  filledTextOf(word)
    ?.replace(/[^\w-]/g, '_')
    .slice(0, 64) ?? null;
