import { endOfPiece, splitsCharacter } from './cut-text.js';

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
