const NUMBER = /^\d[\d ]*$/;
const BEFORE_NUMBER = /^[\s\d.,:[\]+-]*[:,[]\s*$/;

/**
 * A mark as it stands in a text: in quotes where the text is JSON and the value a number in it, so that the text stays JSON.
 */
export function inPlace(text: string, start: number, end: number, mark: string): string {
  return isNumberInJson(text, start, end) ? `"${mark}"` : mark;
}

function isNumberInJson(text: string, start: number, end: number): boolean {
  if (!/^\s*[[{]/.test(text) || !NUMBER.test(text.slice(start, end))) return false;
  if (!/^\s*[,}\]]/.test(text.slice(end, end + 64))) return false;
  const quote = text.lastIndexOf('"', start);
  // A text of JSON within this one would have to have its quotes escaped.
  return text[quote - 1] !== '\\' && BEFORE_NUMBER.test(text.slice(quote + 1, start));
}
