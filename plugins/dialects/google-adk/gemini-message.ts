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

/** A member by its name in Python's kit, else by that in JavaScript's; `null` when it is not there. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
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
