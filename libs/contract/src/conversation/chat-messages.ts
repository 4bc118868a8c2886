import { objectOf, type JsonObject } from './lenient-values.js';
import { isItem, roleOf, unwrapMessage } from './messages.js';
import { readCallsBeside, readOwnCall, readOwnResult, textOfPart, type ToolCall } from './parts.js';

export interface ChatMessage {
  role: string;
  content: unknown;
  [member: string]: unknown;
}

/**
 * A message in any form as `{role, content, …}`: a content that is exactly one text part is that text, and other parts stay
 * as recorded; calls of tools stand in `tool_calls: [{id, name, arguments}]`; a message that is one tool's result is
 * `{role, tool_call_id, content}`.
 */
export function toChatMessage(given: JsonObject): ChatMessage {
  const role = GEMINI_ROLES.get(given['role']) ?? roleOf(given) ?? '';
  if (isItem(given)) {
    if (isToolItem(given)) return messageOfParts(role, [given], {}, []);
    return { ...given, role, content: given['content'] ?? null };
  }
  const object = unwrapMessage(given);
  const { role: _role, content, parts, tool_calls: calls, kwargs: _kwargs, data: _data, ...rest } = object;
  if (given['role'] === undefined) dropLangChain(rest);
  const sent = Array.isArray(parts) ? parts : content;
  const beside = readCallsBeside({ tool_calls: calls }).map(({ type: _type, ...call }) => call);
  if (!Array.isArray(sent)) return withCalls({ role, content: sent ?? null, ...rest }, beside);
  return messageOfParts(role, sent, rest, beside);
}

const GEMINI_ROLES: ReadonlyMap<unknown, string> = new Map([['model', 'assistant']]);

const isToolItem = (item: JsonObject): boolean => readOwnCall(item) !== null || readOwnResult(item) !== null;

/** @param beside calls that stand beside the parts, which count where none is among these. */
function messageOfParts(
  role: string,
  parts: readonly unknown[],
  rest: Record<string, unknown>,
  beside: readonly ToolCall[],
): ChatMessage {
  if (parts.length === 1) {
    const text = textOfPart(parts[0]);
    if (text !== null) return withCalls({ role, content: text, ...rest }, beside);
    const part = objectOf(parts[0]);
    const result = readOwnResult(part);
    if (result !== null) {
      const { id, name, content } = result;
      // Gemini and Bedrock have results in messages of the user, and no type.
      const sender = part['type'] === undefined ? 'tool' : role;
      return {
        role: sender,
        ...(name !== null && { name }),
        tool_call_id: id,
        content: simplestContent(content),
        ...rest,
      };
    }
  }
  const calls = parts.flatMap((part) => readOwnCall(objectOf(part)) ?? []);
  const left = calls.length === 0 ? parts : parts.filter((part) => readOwnCall(objectOf(part)) === null);
  const message: ChatMessage = { role, content: left.length === 0 ? null : simplestContent(left), ...rest };
  return withCalls(message, calls.length > 0 ? calls : beside);
}

function dropLangChain(rest: Record<string, unknown>): void {
  delete rest['type'];
  delete rest['lc'];
  if (Array.isArray(rest['id'])) delete rest['id'];
}

const withCalls = (message: ChatMessage, calls: readonly ToolCall[]): ChatMessage =>
  calls.length > 0 ? { ...message, tool_calls: calls } : message;

/** Parts that are exactly one text as that text; any other content as it is. */
function simplestContent(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  return textOfPart(content[0]) ?? (content as unknown[]);
}
