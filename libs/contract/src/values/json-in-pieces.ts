import { JsonSyntaxError, parseWithAllDigits, type JsonValue, type ParseJson } from './json-digits.js';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  isBlank,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-members.js';
import { noteNames } from './large-values.js';

/** Levels of arrays and objects a body may nest (docs/spec/general.md#json). */
export const JSON_DEPTH_MAX = 200;

/** Members one object of a body may have: a million of them keep the parser busy for a second. */
export const JSON_MEMBERS_MAX = 100_000;

export interface JsonLimits {
  readonly depthMax: number;
  readonly membersMax: number;
}

const LIMITS: JsonLimits = { depthMax: JSON_DEPTH_MAX, membersMax: JSON_MEMBERS_MAX };

/** UTF-16 units that are parsed at once, about: a few milliseconds for the worst of texts. */
const PIECE = 32_768;

/** Units of a single string that are parsed at once. */
const STRING_PIECE = 524_288;

/** From so many units on, what a list or an object holds is noted as large. */
const LARGE = 65_536;

/** A text of more values than its reader allows (docs/spec/limits.md#values-of-a-body). */
export class TooManyValues extends JsonSyntaxError {
  constructor(readonly valuesMax: number) {
    super(`JSON has more than ${valuesMax} values`);
  }
}

/**
 * Parses a JSON text piece by piece, so that others may have their turn at each `yield`. A text of too many values,
 * members or levels is refused before it becomes objects.
 * @param valuesMax objects, lists, texts, numbers, `true`, `false` and `null` together; names of members do not count.
 * @param limits of what outsiders write; what the service itself wrote has none.
 * @param parse of a piece; `JSON.parse` where numbers are to be numbers, whatever digits they have.
 * @throws SyntaxError when the text is not JSON. JsonSyntaxError for what is beyond the limits, and for a number
 * outside the range of a double. TooManyValues.
 */
export function* parseInPieces(
  text: string,
  valuesMax: number,
  { depthMax, membersMax }: JsonLimits = LIMITS,
  parse: ParseJson = parseWithAllDigits,
): Generator<void, JsonValue, void> {
  const open: OpenContainer[] = [];
  let top: OpenContainer | undefined;
  let values = 1;
  let parsedThrough = 0;
  let lookedThrough = 0;
  let deepest = 0;
  /** The last character outside of strings that is no blank; a quote for a string. */
  let last = 0;
  const count = (): void => {
    if (++values > valuesMax) throw new TooManyValues(valuesMax);
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const before = last;
    last = code;
    if (code === QUOTE) {
      const start = at;
      at = endOfString(text, at);
      if (at === -1) throw new SyntaxError('a string does not end');
      if (top && at - start > STRING_PIECE && (!top.isObject || before === COLON)) {
        yield;
        for (const container of open) container.parsePending();
        top.append(start, yield* parseString(text, start + 1, at), at + 1);
        parsedThrough = lookedThrough = at;
      }
    } else if (code === COMMA) {
      if (!top) throw new SyntaxError('something is left over');
      count();
      top.goOn(at);
      if (at - parsedThrough > PIECE) {
        for (const container of open) container.parsePending();
        parsedThrough = at;
        yield;
      }
    } else if (code === COLON) {
      if (top && ++top.members > membersMax) {
        throw new JsonSyntaxError(`an object has more than ${membersMax} members`);
      }
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      top = new OpenContainer(text, at, code === OPEN_BRACE, parse);
      deepest = Math.max(deepest, open.push(top));
      if (deepest > depthMax) {
        throw new JsonSyntaxError(`JSON nests deeper than ${depthMax} levels`);
      }
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      if (!top || top.isObject !== (code === CLOSE_BRACE)) throw new SyntaxError('brackets do not match');
      if (before !== OPEN_BRACKET && before !== OPEN_BRACE) count();
      open.pop();
      const parent = open.at(-1);
      if (top.parsed !== undefined) {
        const value = top.close(at);
        if (at - top.start > LARGE) {
          yield;
          noteNames(value, deepest);
          yield;
        }
        if (!parent) {
          assertBlank(text, 0, top.start);
          assertBlank(text, at + 1, text.length);
          return value;
        }
        parent.append(top.start, value, at + 1);
      }
      top = parent;
    }
    if (at - lookedThrough > LOOK) {
      lookedThrough = at;
      yield;
    }
  }
  if (top) throw new SyntaxError('brackets do not match');
  return parse(text);
}

/** Characters that are looked through before others may have their turn, where nothing is parsed meanwhile. */
const LOOK = 1_048_576;

/** A list or an object of which the end has not been seen. What is short stays text, and is parsed with what is around it. */
class OpenContainer {
  members = 0;
  /** What has been parsed of it; `undefined` while all of it is text. */
  parsed: JsonValue[] | Record<string, JsonValue> | undefined;
  /** Where the text begins that is not parsed yet. */
  private pending: number;
  /** Where the item or member begins that is being looked at. */
  private current: number;
  /** Whether nothing but blanks may come before the next comma: a large item has been appended. */
  private isAppended = false;

  constructor(
    private readonly text: string,
    readonly start: number,
    readonly isObject: boolean,
    private readonly parseText: ParseJson,
  ) {
    this.pending = this.current = start + 1;
  }

  goOn(comma: number): void {
    if (this.isAppended) {
      assertBlank(this.text, this.pending, comma);
      this.isAppended = false;
      this.pending = comma + 1;
    }
    this.current = comma + 1;
  }

  parsePending(): void {
    this.parsed ??= this.isObject ? {} : [];
    if (this.current > this.pending) this.parse(this.current - 1);
    this.pending = this.current;
  }

  /** Takes an item or member that was parsed by itself. @param start where its value begins. @param end behind it. */
  append(start: number, value: JsonValue, end: number): void {
    if (this.isObject) {
      const name = this.text.slice(this.current, start).trimEnd();
      if (!name.endsWith(':')) throw new SyntaxError('a member has no name');
      const key = JSON.parse(name.slice(0, -1)) as unknown;
      if (typeof key !== 'string') throw new SyntaxError('a member has no name');
      setOwn(this.parsed as Record<string, JsonValue>, key, value);
    } else {
      assertBlank(this.text, this.current, start);
      (this.parsed as JsonValue[]).push(value);
    }
    this.pending = end;
    this.isAppended = true;
  }

  close(end: number): JsonValue[] | Record<string, JsonValue> {
    if (this.isAppended) assertBlank(this.text, this.pending, end);
    else this.parse(end);
    return this.parsed!;
  }

  private parse(end: number): void {
    const piece = this.text.slice(this.pending, end);
    if (this.isObject) {
      const members = this.parseText(`{${piece}}`) as Record<string, JsonValue>;
      const names = Object.keys(members);
      if (names.length === 0) throw new SyntaxError('a member is missing');
      for (const name of names) setOwn(this.parsed as Record<string, JsonValue>, name, members[name]!);
    } else {
      const items = this.parseText(`[${piece}]`) as JsonValue[];
      if (items.length === 0) throw new SyntaxError('an item is missing');
      for (const item of items) (this.parsed as JsonValue[]).push(item);
    }
  }
}

/** A long string. @param start behind its opening quote. @param end its closing quote. */
function* parseString(text: string, start: number, end: number): Generator<void, string, void> {
  const parts: string[] = [];
  for (let from = start, to = start; from < end; from = to) {
    to = from + STRING_PIECE < end ? beforeEscape(text, from, from + STRING_PIECE) : end;
    parts.push(JSON.parse(`"${text.slice(from, to)}"`) as string);
    yield;
  }
  return parts.join('');
}

/** Where a piece of a string may end, so that no escape sequence, of at most six units, is cut. */
function beforeEscape(text: string, start: number, end: number): number {
  const near = text.slice(end - 6, end).lastIndexOf('\\');
  if (near === -1) return end;
  const last = end - 6 + near;
  let first = last;
  while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (last - first) % 2 === 0 ? last : end;
}

function setOwn(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function assertBlank(text: string, start: number, end: number): void {
  for (let at = start; at < end; at++)
    if (!isBlank(text.charCodeAt(at))) throw new SyntaxError('something is left over');
}

const SPACE = 0x20;
const COLON = 0x3a;
