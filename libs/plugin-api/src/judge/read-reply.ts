import { filledTextOf, objectOf, readJson } from '../wire/lenient-json.js';

/** What a judge is to answer with: one JSON object, which may have a `reason` beside what it says. */
export interface ReplyFormat<Said> {
  /** The member that says it, a word, which faults name. */
  member: string;
  /** The JSON of its values in an object that is no JSON otherwise: a verdict that cannot be read, no sample of the format. */
  stated: RegExp;
  /** What a value says, where it can be used; anything else is a fault. */
  read(value: unknown): Said | undefined;
  /** What a value is to be, in words. */
  expected: string;
}

/** A judge's reply that says nothing that can be used. */
export class UnusableReply extends Error {
  override readonly name = 'UnusableReply';

  /** @param fault what it has. */
  constructor(
    readonly fault: string,
    reply: string,
  ) {
    super(`the judge gave ${fault}: ${quote(reply)}`);
  }
}

/**
 * Reads a judge's reply: one JSON object with the member of the format, bare or with thoughts and text around it. Never guesses
 * (docs/spec/evaluations.md#replies-of-a-judge).
 * @throws UnusableReply when there is no such object or a faulty one, its value cannot be used, or there are several that differ.
 */
export function readReply<Said>(
  reply: string,
  { member, stated, read, expected }: ReplyFormat<Said>,
): { said: Said; reason?: string } {
  const { objects, faulty, isBroken } = findObjects(cutThoughts(reply));
  const verdicts = objects.map((json) => objectOf(readJson(json))).filter((object) => Object.hasOwn(object, member));
  const [first, ...others] = verdicts;
  if (isBroken || faulty.some((source) => stated.test(source)) || (!first && faulty.length > 0)) {
    throw new UnusableReply('a JSON object that is cut off or faulty', reply);
  }
  if (!first) throw new UnusableReply(`no JSON object with a ${member}`, reply);
  const valueOf = (verdict: Record<string, unknown>): unknown => read(verdict[member]) ?? verdict[member];
  if (others.some((other) => valueOf(other) !== valueOf(first))) {
    throw new UnusableReply(`several ${member}s`, reply);
  }
  const said = read(first[member]);
  if (said === undefined) throw new UnusableReply(`a ${member} that is not ${expected}`, reply);
  const reason = filledTextOf(first['reason']);
  return { said, ...(reason !== null && { reason }) };
}

/** A reply without what a reasoning model thought before it; empty when the thoughts are cut off. */
function cutThoughts(reply: string): string {
  // A mark inside a verdict is what its reason speaks of.
  if (isJson(reply)) return reply;
  let end = 0;
  for (const mark of reply.matchAll(THOUGHTS_END)) end = mark.index + mark[0].length;
  const said = reply.slice(end);
  return THOUGHTS_START.test(said) ? '' : said;
}

/** How models mark thoughts: `<think>`, `<thinking>`, and Mistral's `[THINK]`. */
const THOUGHTS_END = /<\/think(?:ing)?>|\[\/THINK\]/gi;
const THOUGHTS_START = /^\s*(?:<think(?:ing)?>|\[THINK\])/i;

const QUOTE_LENGTH_MAX = 200;

/** The beginning of a reply, fit for an error message: on one line, without characters a column cannot hold. */
function quote(reply: string): string {
  const start = JSON.stringify(reply.slice(0, QUOTE_LENGTH_MAX));
  return reply.length > QUOTE_LENGTH_MAX ? `${start} …` : start;
}

/** What stands in braces in a text that a model wrote. */
interface FoundObjects {
  /** JSON objects, from left to right, as JSON text: raw line breaks and trailing commas are put right. */
  objects: string[];
  /** What begins as an object and is none, up to the brace that closes it. */
  faulty: string[];
  /** Whether the rest was not read, since an object never ends (what stands in it could pass for one) or many are faulty. */
  isBroken: boolean;
}

interface Found {
  source: string;
  /** The object as JSON text; `undefined` for a faulty one. */
  json: string | undefined;
  /** How many braces that begin no object are open around it. */
  depth: number;
}

/**
 * Finds the JSON objects in a text: alone, in a code fence, or with other text around them. Anything inside an object or
 * other braces is a part of those and not found; inside braces that never close, what begins a line is found. Takes time
 * in proportion to the text.
 */
function findObjects(text: string): FoundObjects {
  const found: Found[] = [];
  let depth = 0;
  let faults = 0;
  let isBroken = false;
  for (let at = 0; at < text.length && !isBroken; at++) {
    if (text[at] === '}' && depth > 0) {
      depth--;
      while (found.length > 0 && found.at(-1)!.depth > depth) found.pop();
    }
    if (text[at] !== '{') continue;
    if ((depth > 0 && !beginsLine(text, at)) || !beginsObject(text, at)) {
      depth++;
      continue;
    }
    const end = endOfObject(text, at);
    const source = text.slice(at, end);
    const json = putRight(source);
    if (json === undefined) faults++;
    isBroken = end === undefined || faults > FAULTS_MAX;
    found.push({ source, json, depth });
    at += source.length - 1;
  }
  return {
    objects: found.flatMap(({ json }) => json ?? []),
    faulty: found.flatMap(({ source, json }) => (json === undefined ? source : [])),
    isBroken,
  };
}

/** Faulty objects after which nothing more is read; the parser takes long for each. */
const FAULTS_MAX = 1_000;

/** Whether only blanks stand between the character at `at` and the line break before it. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n' || text[before] === '\r';
}

/**
 * Whether the brace at `start` is followed by a key, or by one that is cut off. Also true of what careless models write:
 * keys in single quotes or none.
 */
function beginsObject(text: string, start: number): boolean {
  const keyStart = skipBlanks(text, start + 1);
  const isQuoted = text[keyStart] === '"' || text[keyStart] === "'";
  const keyEnd = isQuoted ? endOfString(text, keyStart) : endOfWord(text, keyStart);
  if (keyEnd === undefined) return true;
  const next = skipBlanks(text, keyEnd);
  return keyEnd > keyStart && (text[next] === ':' || (isQuoted && next === text.length));
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && /\w/.test(text[at]!)) at++;
  return at;
}

/**
 * The place behind the brace that closes the one at `start`, braces in strings not counted; `undefined` when there is
 * none. An apostrophe begins a string only where a key or value may begin.
 */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isValueNext = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"' || (sign === "'" && isValueNext)) {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    }
    if (sign === '{') depth++;
    if (sign === '}' && --depth === 0) return at + 1;
    if (!isBlank(sign)) isValueNext = sign === '{' || sign === '[' || sign === ',' || sign === ':';
  }
  return undefined;
}

/** The place behind the string whose opening quote, of either kind, is at `start`; `undefined` when it is cut off. */
function endOfString(text: string, start: number): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at + 1;
  }
  return undefined;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isBlank(text[at]!)) at++;
  return at;
}

const isBlank = (sign: string): boolean => sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';

/** An object as JSON text; `undefined` when raw control characters and trailing commas are not all that is wrong. */
function putRight(source: string): string | undefined {
  if (isJson(source)) return source;
  let json = '';
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === '"') {
      const end = endOfString(source, at);
      json += source.slice(at, end).replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
      at = (end ?? source.length) - 1;
    } else if (sign !== ',' || !/[}\]]/.test(source[skipBlanks(source, at + 1)] ?? '')) {
      json += sign;
    }
  }
  return isJson(json) ? json : undefined;
}

/** Whether a text is JSON from its beginning to its end. */
const isJson = (text: string): boolean => readJson(text) !== undefined;
