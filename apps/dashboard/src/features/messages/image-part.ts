import { filledText, firstText, isObject, objectOf, type JsonObject } from './lenient.js';
import type { MessagePart } from './message.js';

type ImagePart = Extract<MessagePart, { type: 'image' | 'remote-image' }>;

/** Images that are shown (docs/spec/dashboard-trace.md#images-of-a-recording): formats that hold nothing but pixels. An SVG is a document and is not among them. */
const SHOWN = /^data:image\/(?:png|jpeg|jpg|gif|webp)(?:;[\w.=-]+)*;base64,[\w+/=\s-]+$/i;

const URL_LENGTH_MAX = 300;

/** An image by its address: shown when its bytes are in the address, named but never fetched otherwise. */
export function imageAt(url: string): ImagePart {
  if (SHOWN.test(url)) return { type: 'image', source: url };
  return { type: 'remote-image', url: url.length > URL_LENGTH_MAX ? `${url.slice(0, URL_LENGTH_MAX)}…` : url };
}

/** An image by its bytes in base64. @param mediaType looked up in the first bytes where nobody says. */
export function imageOf(mediaType: string | null, base64: string): ImagePart {
  if (/^(?:data|https?):/i.test(base64)) return imageAt(base64);
  return imageAt(`data:${mediaType ?? sniffed(base64)};base64,${base64}`);
}

/** First characters of base64 texts by format. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

const sniffed = (base64: string): string =>
  BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'application/octet-stream';

/**
 * The image that a part of a message is, in the forms of OpenAI (`image_url`, `input_image`), Anthropic and Bedrock
 * (`source`), the AI SDK (`image`, `file`), GenAI (`blob`, `uri`) and Gemini (`inline_data`); `null` for another part.
 */
export function readImagePart(part: JsonObject): ImagePart | null {
  const type = filledText(part['type']);
  switch (type) {
    case 'image_url':
    case 'input_image': {
      const url = firstText(part['image_url'], objectOf(part['image_url'])['url'], part['url']);
      return url === null ? null : imageAt(url);
    }
    case 'image':
      return fromSource(objectOf(part['source'])) ?? fromFile(part, ['image', 'data', 'url', 'content']);
    case 'file':
    case 'blob':
    case 'uri':
    case 'media':
      return isImage(part) ? fromFile(part, ['data', 'content', 'uri', 'url', 'file']) : null;
    default:
      return type === null ? fromInline(part) : null;
  }
}

function fromSource(source: JsonObject): ImagePart | null {
  const data = filledText(source['data']);
  if (data !== null) return imageOf(firstText(source['media_type'], source['mediaType']), data);
  const url = filledText(source['url']);
  return url === null ? null : imageAt(url);
}

function fromFile(part: JsonObject, members: readonly string[]): ImagePart | null {
  const held = firstText(...members.map((member) => part[member]));
  return held === null ? null : imageOf(mediaTypeOf(part), held);
}

function fromInline(part: JsonObject): ImagePart | null {
  const inline = part['inline_data'] ?? part['inlineData'];
  if (!isObject(inline)) return null;
  const data = filledText(inline['data']);
  const mediaType = mediaTypeOf(inline);
  return data === null || !mediaType?.startsWith('image/') ? null : imageOf(mediaType, data);
}

const mediaTypeOf = (part: JsonObject): string | null =>
  firstText(part['mediaType'], part['mimeType'], part['media_type'], part['mime_type']);

const isImage = (part: JsonObject): boolean =>
  part['modality'] === 'image' || mediaTypeOf(part)?.startsWith('image/') === true;
