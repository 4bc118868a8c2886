/**
 * The JSON objects in a text that a model wrote, from left to right: alone, in a code fence, or with other text around
 * them. What stands inside an object or other braces is a part of those and not found.
 * @returns the source texts of the objects; `undefined` when something in the text begins as an object and is none (cut
 *   off, or with a fault): what else is there could pass for it.
 */
export function findObjects(text: string): string[] | undefined {
  const found: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '}' && depth > 0) depth--;
    if (text[at] !== '{') continue;
    if (depth > 0 || !beginsObject(text, at)) {
      depth++;
      continue;
    }
    const source = balancedAt(text, at);
    if (source === undefined || !isJson(source)) return undefined;
    found.push(source);
    at += source.length - 1;
  }
  return found;
}

/** Also true of what careless models write: keys in single quotes or none. */
function beginsObject(text: string, start: number): boolean {
  OBJECT_START.lastIndex = start;
  return OBJECT_START.test(text);
}

const OBJECT_START = /\{\s*(?:["']|\w+\s*:)/y;

/** The run of JSON tokens from the brace at `start` to the one that closes it, if there is one. */
function balancedAt(text: string, start: number): string | undefined {
  TOKEN.lastIndex = start;
  let depth = 0;
  do {
    const token = TOKEN.exec(text)?.[0].trimStart();
    if (token === undefined) return undefined;
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  } while (depth > 0);
  return text.slice(start, TOKEN.lastIndex);
}

const TOKEN = /\s*(?:[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|true|false|null|-?\d[\d.eE+-]*)/y;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
