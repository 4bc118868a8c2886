/** A member of an object in JSON text: its name, and where its value stands. */
export interface MemberPlace {
  name: string;
  start: number;
  end: number;
}

/** An object in JSON text. */
export interface ObjectPlace {
  /** In the order of the text; a name may come more than once. */
  members: MemberPlace[];
  /** Where its closing brace stands. */
  close: number;
}

/**
 * Where the members of an object stand, so that one can be changed and every other character stays.
 * @param text valid JSON.
 * @param open where the object's opening brace stands.
 */
export function objectAt(text: string, open: number): ObjectPlace {
  const members: MemberPlace[] = [];
  let at = skipBlanks(text, open + 1);
  while (text[at] !== '}') {
    const nameEnd = stringEnd(text, at);
    const start = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = valueEnd(text, start);
    members.push({ name: JSON.parse(text.slice(at, nameEnd)) as string, start, end });
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return { members, close: at };
}

function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  if (text[start] !== '{' && text[start] !== '[') return next(/[\s,}\]]/g, text, start);
  let depth = 0;
  let at = start;
  do {
    at = next(/["{}[\]]/g, text, at);
    if (text[at] === '"') {
      at = stringEnd(text, at);
      continue;
    }
    depth += text[at] === '{' || text[at] === '[' ? 1 : -1;
    at++;
  } while (depth > 0);
  return at;
}

/** Behind the closing quote of the text that begins at a quote. */
function stringEnd(text: string, start: number): number {
  let at = start;
  do at = text.indexOf('"', at + 1);
  while (isEscaped(text, at));
  return at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

const skipBlanks = (text: string, at: number): number => next(/\S/g, text, at);

function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
