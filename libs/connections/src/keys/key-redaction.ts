import { addPlace, WordSearch, type Place } from '@spandrel/contract';
import { atOnce, inTurns } from '@spandrel/kernel';
import { findMaskedKeys } from './masked-key.js';

const REDACTED = '[redacted]';

/** From this length on a key is taken out wherever it stands; a shorter one only where it is a word by itself. */
const ANYWHERE_LENGTH_MIN = 7;

/** Shorter keys may be what servers without keys are given: `none`, `ollama`, `not-needed`, `1234`. */
const SECRET_LENGTH_MIN = 20;
/** UTF-16 units that are looked through before others may have their turn. */
const PIECE = 1 << 16;
const PLAIN_WORDS = /^(?:[a-z]+(?:[-_. ][a-z]+)*|\d+)$/i;

/** Whether a key is no secret but words or a number, which a model may say at any time. */
const isPlainWords = (key: string): boolean =>
  key.length < SECRET_LENGTH_MIN && PLAIN_WORDS.test(key) && !/^sk[-_]/i.test(key);

/** Takes a key out of texts, linear in them (docs/spec/connections.md#keys-are-never-shown): errors of providers repeat it. */
export class KeyRedaction {
  readonly #key: string;
  readonly #spellings: readonly string[];
  /** The beginning of each spelling: nearly no text has one. */
  readonly #heads: readonly string[];
  #search: WordSearch | undefined;

  /** @param key may be empty: nothing is a secret then. */
  constructor(key: string) {
    this.#key = key;
    this.#spellings = key === '' ? [] : spellingsOf(key);
    this.#heads = [...new Set(this.#spellings.map((spelling) => spelling.slice(0, ANYWHERE_LENGTH_MIN)))];
  }

  /** The text without the key, however it is spelled, and without what a provider left of it when masking it. */
  redact(text: string): string {
    return atOnce(this.#redacting(text));
  }

  /** A model's words without the key, others having their turn meanwhile. A key of plain words stays: models say `none`. */
  async redactOutput(text: string): Promise<string> {
    return isPlainWords(this.#key) ? text : inTurns(this.#redacting(text));
  }

  /** What can be shown of an output that is still coming: without the key, and without an end that may become the key. */
  settled(text: string): string {
    if (isPlainWords(this.#key)) return text;
    const redacted = this.redact(text);
    const begun = this.#spellings.map((spelling) => {
      let length = Math.min(spelling.length - 1, redacted.length);
      while (length > 0 && !redacted.endsWith(spelling.slice(0, length))) length--;
      return length;
    });
    return redacted.slice(0, redacted.length - Math.max(0, ...begun));
  }

  *#redacting(text: string): Generator<void, string, void> {
    const short = this.#key.length < ANYWHERE_LENGTH_MIN;
    const redacted = this.#heads.some((head) => text.includes(head))
      ? without(text, yield* this.#placesIn(text))
      : text;
    return short || redacted === '' ? redacted : without(redacted, yield* findMaskedKeys(redacted, this.#key));
  }

  *#placesIn(text: string): Generator<void, Place[], void> {
    this.#search ??= new WordSearch(this.#spellings);
    const short = this.#key.length < ANYWHERE_LENGTH_MIN;
    const places: Place[] = [];
    for (let at = 0; at < text.length; at += PIECE) {
      const from = Math.max(0, at - this.#spellings[0]!.length);
      const counts = (start: number, end: number): boolean =>
        !short || (!isOfWord(text[from + start - 1]) && !isOfWord(text[from + end]));
      for (const { start, end } of this.#search.places(text.slice(from, at + PIECE), counts)) {
        addPlace(places, from + start, from + end);
      }
      yield;
    }
    return places;
  }

  /** The first `length` characters of the redacted text, however long it is; no key is shown in part. */
  excerpt(text: string, length: number): string {
    // What a cut text may end in the middle of.
    const spellingLengthMax = this.#spellings[0]?.length ?? 0;
    const looked = length + 4 * spellingLengthMax;
    if (text.length <= looked) return clip(this.redact(text), length);
    const redacted = this.redact(text.slice(0, looked));
    return clip(redacted.slice(0, Math.max(0, redacted.length - spellingLengthMax)), length);
  }
}

const clip = (text: string, length: number): string => {
  if (text.length <= length) return text;
  return `${text.slice(0, length).toWellFormed()}…`;
};

/** How a key may come back: as it is, in JSON (also within JSON), percent-encoded, in base64 or hex. Longest first. */
function spellingsOf(key: string): string[] {
  const json = JSON.stringify(key).slice(1, -1);
  const percent = encodeURIComponent(key);
  const all = [
    key,
    json,
    json.replaceAll('/', '\\/'),
    JSON.stringify(json).slice(1, -1),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ k: key }).toString().slice(2),
  ];
  if (key.length >= ANYWHERE_LENGTH_MIN) {
    const bytes = Buffer.from(key);
    const hex = bytes.toString('hex');
    all.push(key.toLowerCase(), key.toUpperCase(), hex, hex.toUpperCase());
    all.push(bytes.toString('base64').replace(/={1,2}$/, ''), bytes.toString('base64url'));
  }
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

function without(text: string, places: readonly Place[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of places) {
    result += text.slice(copied, start) + REDACTED;
    copied = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

const isOfWord = (character: string | undefined): boolean => character !== undefined && /[\w-]/.test(character);
