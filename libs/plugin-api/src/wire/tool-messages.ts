import { readOwnCall, readOwnResult, readReasoning } from '@spandrel/contract';
import type { ChatMessage } from '../chat.js';
import { filledTextOf, listOf, objectOf, readExactJson, type JsonObject } from './lenient-json.js';

/**
 * A call as OpenAI, Ollama or a recording has it: `{id, function: {name, arguments}}`, `{id, name, arguments}`.
 * @returns its `input` is an object always, of which any other value is the member `arguments`.
 */
export function recordedToolCall(call: unknown) {
  const { id, name, arguments: given } = { ...objectOf(call), ...objectOf(objectOf(call)['function']) };
  const value = (typeof given === 'string' ? readExactJson(given) : given) ?? {};
  const input: object = typeof value === 'object' && !Array.isArray(value) ? value : { arguments: value };
  return { id: filledTextOf(id), name: filledTextOf(name), input };
}

/**
 * Messages of any API with the calls of tools beside the content, and each result of one as a message of its own, `{role: 'tool',
 * tool_call_id, content}`: Anthropic has both as blocks. What a model thought goes with its blocks.
 */
export const withToolsBeside = (messages: readonly ChatMessage[]): ChatMessage[] => messages.flatMap(besideOf);

function besideOf(message: ChatMessage): ChatMessage | ChatMessage[] {
  const { role, content, tool_calls: given } = message;
  const [calls, results] = [partsOf(content, readOwnCall), partsOf(content, readOwnResult)];
  if (calls.length + results.length === 0) {
    return role === 'user' && 'tool_call_id' in message ? { ...message, role: 'tool' } : message;
  }
  const rest = listOf(content).filter((part) => isSaid(objectOf(part)));
  const beside = [...listOf(given), ...calls];
  const said = { ...message, content: rest.length > 0 ? rest : null, ...(beside.length > 0 && { tool_calls: beside }) };
  return [
    ...results.map(({ id, content: result }) => ({ role: 'tool', tool_call_id: id, content: result })),
    ...(beside.length + rest.length > 0 ? [said] : []),
  ];
}

const isSaid = (part: JsonObject): boolean =>
  readOwnCall(part) === null && readOwnResult(part) === null && readReasoning(part) === undefined;

const partsOf = <Read>(content: unknown, read: (part: JsonObject) => Read | null): Read[] =>
  listOf(content).flatMap((part) => read(objectOf(part)) ?? []);

/**
 * Messages of any API in which calls of tools, and their results, have ids: Gemini and Ollama know them by the name of the tool and
 * their order. The first call of a tool has its name as its id.
 */
export function withCallIds(messages: readonly ChatMessage[]): ChatMessage[] {
  const taken = new Set<string>();
  const waiting: { id: string; name: string | null }[] = [];
  const withId = (call: unknown): unknown => {
    const { id: given, name } = recordedToolCall(call);
    if (given !== null) return call;
    const id = name === null || taken.has(name) ? `${name ?? 'call'}_${taken.size + 1}` : name;
    taken.add(id);
    waiting.push({ id, name });
    return { ...objectOf(call), id };
  };
  return messages.map((message) => {
    const { role, tool_calls: calls, tool_call_id: given, name, tool_name: named } = message;
    if (listOf(calls).length > 0) return { ...message, tool_calls: listOf(calls).map(withId) };
    if (filledTextOf(given) !== null || (role !== 'tool' && given === undefined)) return message;
    const tool = filledTextOf(name) ?? filledTextOf(named);
    const at = waiting.findIndex((call) => tool === null || call.name === tool);
    return at < 0 ? message : { ...message, tool_call_id: waiting.splice(at, 1)[0]!.id };
  });
}
