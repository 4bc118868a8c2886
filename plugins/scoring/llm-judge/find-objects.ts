/**
 * The JSON objects in a text that a model wrote, from left to right: alone, in a code fence, or with other text around
 * them. Objects inside an object are its own; those inside braces that are no JSON (an object that is cut off or has a
 * fault) are not found either, since they would pass for the whole.
 * @returns the source texts of the objects.
 */
export function findObjects(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '}' && depth > 0) depth--;
    if (text[at] !== '{') continue;
    const source = depth === 0 ? objectAt(text, at) : undefined;
    if (source === undefined) {
      depth++;
    } else {
      found.push(source);
      at += source.length - 1;
    }
  }
  return found;
}

/** Keeps the search linear: braces that nest deeper are given up. */
const DEPTH_MAX = 32;

const TOKEN = /\s*(?:[{}[\],:]|"(?:[^"\\]|\\.)*"|true|false|null|-?\d[\d.eE+-]*)/y;

/** The JSON object that begins at `start`, if one does. */
function objectAt(text: string, start: number): string | undefined {
  TOKEN.lastIndex = start;
  let depth = 0;
  do {
    const token = TOKEN.exec(text)?.[0].trimStart();
    if (token === undefined || depth > DEPTH_MAX) return undefined;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  } while (depth > 0);
  const source = text.slice(start, TOKEN.lastIndex);
  return isJson(source) ? source : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
