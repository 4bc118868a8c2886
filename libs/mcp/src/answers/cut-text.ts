export const PREVIEW_CHARS = 200;

/** Whether a place in a text lies between the two halves of one character. */
const splitsCharacter = (text: string, at: number): boolean => at > 0 && text.codePointAt(at - 1)! > 0xffff;

/** The beginning of a text with an ellipsis. @param chars UTF-16 units that are kept at most, the ellipsis not counted. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, splitsCharacter(text, chars) ? chars - 1 : chars)}…`;
}

/** Characters of JSON that a UTF-16 unit takes at most: a control character, or half a character without its other one. */
const ESCAPE_CHARS = 6;

/** @param from between two characters. @param room within JSON, without quotes. @returns the end of a piece that fits. */
export function endOfPiece(text: string, from: number, room: number, charsMax: number): number {
  let end = Math.min(text.length, from + Math.min(room, charsMax));
  for (;;) {
    if (end > from && splitsCharacter(text, end)) end--;
    const excess = JSON.stringify(text.slice(from, end)).length - '""'.length - room;
    if (excess <= 0) return end;
    end -= Math.ceil(excess / ESCAPE_CHARS);
  }
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
