import { isPlainMessage, objectOf, textOf, without } from '@spandrel/plugin-api';

/** A message that OpenInference flattens (`message.contents.0.message_content.text` …), once it is put together again. */
export function messageOf(item: unknown): unknown {
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
export function together(
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
