/** A path in JSON: names of members and numbers of items. */
type JsonPath = readonly (string | number)[];

/**
 * The line on which a value stands, or the nearest value around it that there is; counts from 1.
 * @param text valid JSON.
 */
export function lineOfPath(text: string, path: JsonPath): number {
  const place = placeOf(text, path);
  return text.slice(0, place).split('\n').length;
}

/**
 * Reads a path as the API writes it, below the datapoint's variant: `kind.Generic.score` is `score`.
 * @returns the empty path for the whole of it.
 */
export function pathOfFault(path: string): JsonPath {
  const steps = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, item, name]) =>
    item === undefined ? name! : Number(item),
  );
  return steps.slice(2);
}

/** Tokens that tell where values are; blanks, numbers and words lie between. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]/g;

/** An object or a list that the reader is within. */
interface Level {
  /** The next item of a list, or the member that is read. */
  at: string | number;
}

function placeOf(text: string, path: JsonPath): number {
  const levels: Level[] = [];
  let best = { depth: 0, place: 0 };
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (isName && token.startsWith('"') && level !== undefined) {
      level.at = JSON.parse(token) as string;
      isName = false;
      note(index);
    } else if (token === '{') {
      levels.push({ at: '' });
      isName = true;
    } else if (token === '[') {
      levels.push({ at: 0 });
      note(index + 1 + blanksAt(text, index + 1));
    } else if (token === ',' && level !== undefined) {
      isName = typeof level.at === 'string';
      if (typeof level.at === 'number') {
        level.at++;
        note(index + 1 + blanksAt(text, index + 1));
      }
    } else if (token === '}' || token === ']') {
      levels.pop();
      isName = false;
    }
  }
  return best.place;

  /** Remembers a place that is on the way. */
  function note(place: number): void {
    const depth = levels.length;
    if (depth > best.depth && depth <= path.length && levels.every(({ at }, step) => at === path[step]))
      best = { depth, place };
  }
}

const blanksAt = (text: string, from: number): number => /^\s*/.exec(text.slice(from, from + 1_000))![0].length;
