import { parseWithSources, readConversation, type MessagePart } from '@spandrel/contract/browser';
import { jsonText, type Message, type ShownPart } from './message.js';

/**
 * The conversation of a call (docs/spec/dashboard-trace.md#messages-of-a-call) as it is shown: the messages of its input, then
 * its answer. Everything in it is text, which workers can hand over.
 */
export const messagesOf = (input: unknown, output: unknown): Message[] =>
  readConversation(input, output).map((message) => ({ ...message, parts: message.parts.map(shownPart) }));

function shownPart(part: MessagePart): ShownPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'reasoning':
      return { type: 'reasoning', text: part.text ?? 'The provider keeps this reasoning encrypted.' };
    case 'tool-call':
      return { ...part, arguments: argumentsText(part.arguments) };
    case 'tool-result':
      return { ...part, parts: part.parts.map(shownPart) };
    case 'image':
      return imageAt(part.url);
    case 'other':
      return { type: 'json', json: jsonText(part.value) };
  }
}

/** Arguments as JSON over several lines. Most providers send them as JSON text, which a model may have left unfinished. */
function argumentsText(value: unknown): string {
  if (typeof value !== 'string') return value === null ? '' : jsonText(value);
  try {
    return jsonText(typeof JSON.rawJSON === 'function' ? parseWithSources(value) : JSON.parse(value));
  } catch {
    return value;
  }
}

/** Images that are shown (docs/spec/dashboard-trace.md#images-of-a-recording): formats that hold nothing but pixels. An SVG is a document and is not among them. */
const SHOWN = /^data:image\/(?:png|jpeg|jpg|gif|webp)(?:;[\w.=-]+)*;base64,[\w+/=\s-]+$/i;

const URL_LENGTH_MAX = 300;

/** An image by its address: shown when its bytes are in the address, named but never fetched otherwise. */
function imageAt(url: string): ShownPart {
  if (SHOWN.test(url)) return { type: 'image', source: url };
  return { type: 'remote-image', url: url.length > URL_LENGTH_MAX ? `${url.slice(0, URL_LENGTH_MAX)}…` : url };
}
