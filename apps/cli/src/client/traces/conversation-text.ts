import type { Message, MessagePart } from '@spandrel/contract';

/** Characters of an image's address that are shown; it may hold all of its bytes. */
const ADDRESS = 80;

/** Messages as people read them: each below its role, texts as they are; one message alone without its role. */
export function conversationText(messages: readonly Message[]): string {
  const texts = messages.map(({ parts }) => parts.map(partText).join('\n'));
  if (texts.length === 1) return texts[0]!;
  return messages.map(({ role }, at) => `[${role}]\n${texts[at]}`).join('\n\n');
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `(reasoning) ${part.text ?? 'encrypted by the provider'}`;
    case 'tool-call':
      return `(tool call ${part.name}) ${textOrJson(part.arguments)}`;
    case 'tool-result':
      return `(tool result) ${part.parts.map(partText).join('\n')}`;
    case 'image':
      return `(image) ${part.url.length > ADDRESS ? `${part.url.slice(0, ADDRESS)}…` : part.url}`;
    case 'other':
      return JSON.stringify(part.value, undefined, 2) ?? 'null';
  }
}

const textOrJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'null');
