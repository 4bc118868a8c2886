export const PREVIEW_CHARS = 200;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a place in a text lies between the two halves of one character. */
const splitsCharacter = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));

/** The beginning of a text with an ellipsis. @param chars UTF-16 units that are kept at most, the ellipsis not counted. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, splitsCharacter(text, chars) ? chars - 1 : chars)}…`;
}

/** UTF-16 units that one of a text takes in JSON as `JSON.stringify` writes it; both halves of a character count together. */
function widthAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x20) return unit === 0x08 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d ? 2 : 6;
  if (unit < 0xd800 || unit > 0xdfff) return 1;
  // A half without its other one is written as an escape.
  return isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1)) ? 2 : 6;
}

/** @param from between two characters. @param room within JSON, without quotes. @returns the end of a piece that fits. */
export function endOfPiece(text: string, from: number, room: number, charsMax: number): number {
  let left = room;
  let at = from;
  while (at < text.length) {
    const width = widthAt(text, at);
    const units = width === 2 && isHighSurrogate(text.charCodeAt(at)) ? 2 : 1;
    if (width > left || at + units - from > charsMax) return at;
    left -= width;
    at += units;
  }
  return at;
}

export interface WholeText {
  /** `text`: a text as it is; `json`: another value, written as JSON. */
  format: 'text' | 'json';
  text: string;
}

/** Any value as one text: put together again, its pieces are the text, or JSON of the value. @param json the value as JSON, where it is known. */
export const wholeText = (value: unknown, json?: string): WholeText =>
  typeof value === 'string'
    ? { format: 'text', text: value }
    : { format: 'json', text: json ?? JSON.stringify(value ?? null) };

export interface TextPiece {
  format: WholeText['format'];
  /** Length of the whole text in UTF-16 units. */
  total_chars: number;
  offset: number;
  text: string;
  /** Where the next piece begins; `null` behind the last one. */
  next_offset: number | null;
}

/** @param offset is moved to the begin of its character. @param room within JSON, without quotes. @param charsMax of it. */
export function pieceOf({ format, text }: WholeText, offset: number, room: number, charsMax = Infinity): TextPiece {
  const within = Math.min(offset, text.length);
  const from = splitsCharacter(text, within) ? within - 1 : within;
  // A piece holds a whole character, however few are asked for.
  const end = endOfPiece(text, from, Math.max(room, 0), Math.max(charsMax, 2));
  return {
    format,
    total_chars: text.length,
    offset: from,
    text: text.slice(from, end),
    next_offset: end < text.length ? end : null,
  };
}
