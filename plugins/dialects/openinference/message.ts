import { isPlainMessage, listOf, objectOf, textOf } from '@spandrel/plugin-api';

/** A message that OpenInference flattens (`message.contents.0.message_content.text` …), once it is put together again. */
export function messageOf(item: unknown): unknown {
  const { message } = objectOf(item);
  if (message === undefined) return item;
  if (isPlainMessage(objectOf(message))) return message;
  const { contents, content, tool_calls: calls, ...rest } = objectOf(message);
  return {
    ...rest,
    role: textOf(rest['role']) ?? 'assistant',
    content: Array.isArray(contents) ? withText(content, contents.map(partOf)) : (content ?? null),
    ...(Array.isArray(calls) && { tool_calls: listOf(calls).map((call) => objectOf(call)['tool_call'] ?? call) }),
  };
}

/** Some instrumentations report a text twice, as content and as part. */
function withText(content: unknown, parts: unknown[]): unknown[] {
  if (typeof content !== 'string' || content === '') return parts;
  const isThere = parts.some((part) => objectOf(part)['text'] === content);
  return isThere ? parts : [{ type: 'text', text: content }, ...parts];
}

/** A part without the names that say again what it is. */
function partOf(item: unknown): unknown {
  const { message_content: part } = objectOf(item);
  if (part === undefined) return item;
  const { image, ...rest } = objectOf(part);
  const url = objectOf(objectOf(image)['image'])['url'];
  return image === undefined ? rest : { ...rest, ...(typeof url === 'string' ? { image: { url } } : { image }) };
}
