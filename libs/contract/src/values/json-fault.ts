import { BACKSLASH, code, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-members.js';

/** Characters that are searched for the fault; a longer text would keep the event loop busy. */
const SEARCHED_MAX = 250_000;

/** What other languages write where JSON has `true`, `false`, `null` or a number. */
const WORDS_OF_OTHERS: ReadonlySet<string> = new Set(['NaN', 'Infinity', 'undefined', 'None', 'True', 'False']);

/**
 * Says where a text stops being JSON: `not valid JSON at character 12: expected a member name in double quotes, found
 * "}" (a comma may not be the last)`. It repeats nothing else of the text, which may hold secrets.
 */
export function describeJsonFault(text: string): string {
  try {
    new JsonReader(text.slice(0, SEARCHED_MAX)).readDocument();
  } catch (error) {
    if (!(error instanceof FaultAt)) throw error;
    const isSearchedOut = text.length > SEARCHED_MAX && error.position >= SEARCHED_MAX;
    if (!isSearchedOut) return `not valid JSON at ${placeOf(text, error.position)}: ${error.message}`;
  }
  return text.length > SEARCHED_MAX ? `not valid JSON somewhere after character ${SEARCHED_MAX}` : 'not valid JSON';
}

class FaultAt extends Error {
  readonly position: number;

  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position);
  const lines = before.split('\n').length;
  const isOneLine = !text.trimEnd().includes('\n');
  return isOneLine ? `character ${position + 1}` : `line ${lines}, column ${position - before.lastIndexOf('\n')}`;
}

const MINUS = code('-');
const ZERO = code('0');
const NINE = code('9');
const SPACE = code(' ');

const isDigit = (char: number): boolean => char >= ZERO && char <= NINE;

/** Reads JSON for nothing but its first fault (RFC 8259). Texts nest no deeper than the parser allows. */
class JsonReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readDocument(): void {
    this.readValue('a value');
    this.skipBlanks();
    if (this.at < this.text.length) this.fail('the end after the value');
  }

  private readValue(expected: string): void {
    this.skipBlanks();
    const char = this.text.charCodeAt(this.at);
    if (char === OPEN_BRACE) this.readObject();
    else if (char === OPEN_BRACKET) this.readArray();
    else if (char === QUOTE) this.readString();
    else if (char === MINUS || isDigit(char)) this.readNumber();
    else if (!this.takes('true') && !this.takes('false') && !this.takes('null')) this.fail(expected);
  }

  private readObject(): void {
    this.at++;
    this.skipBlanks();
    if (this.takes('}')) return;
    do {
      this.skipBlanks();
      if (this.text.charCodeAt(this.at) !== QUOTE) this.fail('a member name in double quotes');
      this.readString();
      this.skipBlanks();
      if (!this.takes(':')) this.fail('":" after the member name');
      this.readValue('a value after ":"');
      this.skipBlanks();
    } while (this.takes(','));
    if (!this.takes('}')) this.fail('"," or "}" after the member');
  }

  private readArray(): void {
    this.at++;
    this.skipBlanks();
    if (this.takes(']')) return;
    do {
      this.readValue('a value');
      this.skipBlanks();
    } while (this.takes(','));
    if (!this.takes(']')) this.fail('"," or "]" after the item');
  }

  private readString(): void {
    this.at++;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (Number.isNaN(char)) this.fail('a double quote at the end of the text');
      if (char === QUOTE) break;
      if (char < SPACE) this.fail('no control character within a text (a line break is written \\n)');
      if (char === BACKSLASH) this.readEscape();
      this.at++;
    }
    this.at++;
  }

  private readEscape(): void {
    this.at++;
    const char = this.text.charAt(this.at);
    if (char !== '' && '"\\/bfnrt'.includes(char)) return;
    if (!/^u[\da-f]{4}$/i.test(this.text.slice(this.at, this.at + 5))) {
      this.fail('one of " \\ / b f n r t or u with four hexadecimal digits after the backslash');
    }
    this.at += 4;
  }

  private readNumber(): void {
    this.takes('-');
    if (!this.takes('0')) this.readDigits();
    if (this.takes('.')) this.readDigits();
    if (this.takes('e') || this.takes('E')) {
      if (!this.takes('+')) this.takes('-');
      this.readDigits();
    }
  }

  private readDigits(): void {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    if (this.at === start) this.fail('a digit');
  }

  private skipBlanks(): void {
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at];
      if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return;
    }
  }

  private takes(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private fail(expected: string): never {
    const hint = hintAt(this.text, this.at);
    throw new FaultAt(this.at, `expected ${expected}, found ${foundAt(this.text, this.at)}${hint && ` (${hint})`}`);
  }
}

function foundAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  if (point === undefined) return 'the end';
  const char = String.fromCodePoint(point);
  if (/[!-/:-@[-`{-~]/.test(char)) return char === '"' ? 'a double quote' : `"${char}"`;
  if (isDigit(point)) return 'a digit';
  if (/\p{L}/u.test(char)) return WORDS_OF_OTHERS.has(wordAt(text, at)) ? wordAt(text, at) : 'a word without quotes';
  return `the character U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

function hintAt(text: string, at: number): string {
  const char = text.charAt(at);
  if (char === "'") return 'JSON has double quotes alone';
  if (char === '/' || char === '#') return 'JSON has no comments';
  if (char === '\ufeff') return 'a byte order mark, which JSON does not have';
  if ((char === '}' || char === ']') && /,\s*$/.test(text.slice(Math.max(0, at - 100), at))) {
    return 'a comma may not be the last';
  }
  return WORDS_OF_OTHERS.has(wordAt(text, at)) ? 'JSON has true, false, null and finite numbers' : '';
}

const wordAt = (text: string, at: number): string => /^[A-Za-z]+/.exec(text.slice(at, at + 20))?.[0] ?? '';
