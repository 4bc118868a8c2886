import { listOf, objectOf, textOf } from '@spandrel/plugin-api';

/**
 * A content of Gemini's (`{role, parts: [{text}, {function_call}, {function_response}]}`) as a message.
 * @returns `undefined` for what is none.
 */
export function messageOf(content: unknown): Record<string, unknown> | undefined {
  const { role, parts } = objectOf(content);
  if (!Array.isArray(parts)) return undefined;
  return {
    role: role === 'model' ? 'assistant' : (textOf(role) ?? 'user'),
    content: listOf(parts).map(partOf),
  };
}

function partOf(part: unknown): unknown {
  const { text, thought, function_call: call, function_response: response } = objectOf(part);
  if (typeof text === 'string') return thought === true ? { type: 'reasoning', content: text } : { type: 'text', text };
  if (call !== undefined && call !== null) {
    const { id, name, args } = objectOf(call);
    return { type: 'tool_call', id: id ?? null, name, arguments: args ?? null };
  }
  if (response !== undefined && response !== null) {
    const { id, name, response: result } = objectOf(response);
    return { type: 'tool_call_response', id: id ?? null, name, response: result ?? null };
  }
  return part;
}
