export const PREVIEW_CHARS = 200;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a place in a text lies between the two halves of one character. */
export const splitsCharacter = (text: string, at: number): boolean =>
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
