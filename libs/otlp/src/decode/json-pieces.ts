import type { ItemBudget } from './item-budget.js';
import { malformed } from './json-values.js';

/** Levels that one piece may nest: values of the greatest depth, written with every wrapper, and what is around them. */
const DEPTH_MAX = 300;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Digits of a number that a double may not hold. */
const LONG_NUMBER = 16;

/**
 * Reads a JSON text from its beginning to its end, one piece at a time: objects and lists are walked through member by
 * member, their pieces parsed one by one. So a large export neither becomes objects as a whole nor holds up others.
 * All methods throw ExportFault where the text is no JSON or has another shape than asked for.
 */
export class JsonPieces {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly items: ItemBudget,
  ) {}

  /** Where the next piece begins; {@link goTo} comes back to it. */
  get place(): number {
    return this.at;
  }

  goTo(place: number): void {
    this.at = place;
  }

  /**
   * Walks through the object that comes next, by the names of its members; the caller reads its value next. A `null`
   * has no members.
   * @param name of the object, for the message of a fault.
   */
  *members(name: string): Generator<string, void, undefined> {
    if (!this.opens('{', name, 'an object')) return;
    if (!this.closes('}')) yield* this.membersFromHere(name);
  }

  /**
   * Walks through what is left of an object behind the member whose value comes next.
   * @param current that member's name.
   */
  *membersAfter(current: string, name: string): Generator<string, void, undefined> {
    this.skip(`${name}.${current}`);
    if (this.goesOn('}', name)) yield* this.membersFromHere(name);
  }

  /** Walks through the list that comes next, by index; the caller reads the element next. A `null` has none. */
  *elements(name: string): Generator<number, void, undefined> {
    if (!this.opens('[', name, 'a list')) return;
    if (this.closes(']')) return;
    let index = 0;
    do yield index++;
    while (this.goesOn(']', name));
  }

  /** Reads the value that comes next as a whole. Integers that a number does not hold are raw JSON. */
  value(name: string): unknown {
    this.peek();
    const start = this.at;
    const { containers, isLong } = this.pass(name, this.items.room);
    this.items.assertRoomFor(containers);
    return this.parsed(start, isLong, name);
  }

  /** Reads the value that comes next, which nobody wants, to see that it is JSON. */
  ignore(name: string): void {
    this.peek();
    const start = this.at;
    const { containers, isLong } = this.pass(name, this.items.roomForOthers);
    this.items.takeOther(1 + containers);
    this.parsed(start, isLong, name);
  }

  private parsed(start: number, isLong: boolean, name: string): unknown {
    try {
      const text = this.text.slice(start, this.at);
      return isLong ? JSON.parse(text, keepLongInteger) : JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) throw this.notJson(name);
      throw error;
    }
  }

  /** Passes over the value that comes next, which is read at another time. */
  skip(name: string): void {
    this.peek();
    this.pass(name);
  }

  /** Nothing may come after the value that was read. */
  end(): void {
    if (!Number.isNaN(this.peek())) throw this.notJson('what follows it');
  }

  private *membersFromHere(name: string): Generator<string, void, undefined> {
    do {
      const member = this.string(name);
      if (this.peek() !== COLON) throw this.notJson(name);
      this.at++;
      yield member;
    } while (this.goesOn('}', name));
  }

  private opens(bracket: string, name: string, expected: string): boolean {
    this.peek();
    if (this.text[this.at] === bracket) {
      this.at++;
      return true;
    }
    if (this.value(name) === null) return false;
    throw malformed(`${name} must be ${expected}`);
  }

  private closes(bracket: string): boolean {
    this.peek();
    if (this.text[this.at] !== bracket) return false;
    this.at++;
    return true;
  }

  private goesOn(bracket: string, name: string): boolean {
    if (this.closes(bracket)) return false;
    if (this.text.charCodeAt(this.at) !== COMMA) throw this.notJson(name);
    this.at++;
    return true;
  }

  private string(name: string): string {
    if (this.peek() !== QUOTE) throw this.notJson(name);
    return this.value(name) as string;
  }

  /** Passes over white space. @returns the character that comes next; NaN at the end. */
  private peek(): number {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.at);
    return code;
  }

  /**
   * Passes over one value by its brackets and texts alone.
   * @param room objects and lists that it may have: it is not looked at further when it has more, or four times as many commas.
   * @returns how many objects and lists it has, and whether there may be an integer that a number does not hold.
   */
  private pass(name: string, room = Infinity): { containers: number; isLong: boolean } {
    const { text } = this;
    let depth = 0;
    let containers = 0;
    let commas = 0;
    let digits = 0;
    let isLong = false;
    for (; this.at < text.length; this.at++) {
      const code = text.charCodeAt(this.at);
      if (code >= 0x30 && code <= 0x39) {
        if (++digits >= LONG_NUMBER) isLong = true;
        continue;
      }
      digits = 0;
      // Outside of everything a comma or a closing bracket belongs to what is around the value.
      if (depth === 0 && (code === COMMA || code === 0x5d || code === 0x7d)) break;
      if (code === COMMA && ++commas > 4 * room) return { containers: Infinity, isLong };
      if (code === QUOTE) this.at = this.endOfText(name);
      else if (code === 0x5b || code === 0x7b) {
        if (++containers > room) return { containers, isLong };
        if (++depth > DEPTH_MAX) throw malformed(`${name} is nested too deeply`);
      } else if (code === 0x5d || code === 0x7d) depth--;
      if (depth === 0 && (code === QUOTE || code === 0x5d || code === 0x7d)) {
        this.at++;
        break;
      }
    }
    return { containers, isLong };
  }

  private endOfText(name: string): number {
    let end = this.text.indexOf('"', this.at + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end === -1) throw this.notJson(name);
    return end;
  }

  private isEscaped(quote: number): boolean {
    let before = quote - 1;
    while (this.text.charCodeAt(before) === BACKSLASH) before--;
    return (quote - before) % 2 === 0;
  }

  private notJson(name: string): Error {
    return malformed(`${name} is not valid JSON, up to character ${this.at + 1}`);
  }
}

function keepLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value;
}
