/**
 * Splits `name=tone,weight=2` into its pairs. A value in double quotes may have commas, and `\"` and `\\` in it.
 * @param text as it stands on the command line.
 * @returns names and values in their order.
 * @throws Error that says what is wrong with the text: a part without `=`, a name that comes twice, a quote that is not closed.
 */
export function readPairs(text: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const [, before, after] = /^([^=,]*)=(.*)$/s.exec(rest) ?? [];
    const name = before?.trim();
    if (!name) throw new Error(`"${firstPart(rest)}" is not NAME=VALUE`);
    if (pairs.some(([known]) => known === name)) throw new Error(`"${name}" comes twice`);
    const { value, behind } = after!.startsWith('"') ? quotedValue(after!, name) : plainValue(after!);
    pairs.push([name, value]);
    rest = behind;
  }
  return pairs;
}

const firstPart = (text: string): string => text.split(',', 1)[0]!.trim();

interface Value {
  value: string;
  /** What comes after the comma behind it. */
  behind: string;
}

function plainValue(text: string): Value {
  const end = text.indexOf(',');
  return end < 0
    ? { value: text.trim(), behind: '' }
    : { value: text.slice(0, end).trim(), behind: text.slice(end + 1) };
}

function quotedValue(text: string, name: string): Value {
  const found = /^"((?:[^"\\]|\\.)*)"\s*(?:,|$)/s.exec(text);
  if (!found)
    throw new Error(`the quote that "${name}" begins with must be closed, and be followed by a comma or nothing`);
  return { value: found[1]!.replace(/\\(["\\])/g, '$1'), behind: text.slice(found[0].length) };
}
