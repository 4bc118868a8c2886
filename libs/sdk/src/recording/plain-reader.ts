/** What is recorded in the place of a value whose member is named like a secret. */
const MASKED = '[masked]';

/**
 * Ends of names, without their separators and in lower case. Tokens of models and of lists are no secrets:
 * `next_page_token`, `eos_token`, `time_to_first_token`.
 */
const SECRET =
  /((api|secret|private|access)key|passw(or)?d|passphrase|secret)s?$|(authorization|cookie|^jwt|(?<!page|next|continuation|stop|eos|bos|pad|first|max|per)token)$/;
/** Names that only data have are not kept for the life of the application: so long ones, and not more than so many. */
const LENGTH_MAX = 64;
const REMEMBERED_MAX = 4_096;
const remembered = new Map<string, boolean>();

/**
 * Whether a member is named like a secret, whatever its case and separators: `apiKey`, `OPENAI_API_KEY`, `x-api-key`,
 * `clientSecret`, `access_token`; but not `max_tokens` or `next_page_token` (docs/sdk.md#secrets).
 */
export function isSecretName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  let isSecret = remembered.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET.test(name.toLowerCase().replace(/[\W_]/g, ''));
    if (name.length < LENGTH_MAX && remembered.size < REMEMBERED_MAX) remembered.set(name, isSecret);
  }
  return isSecret;
}

/** Whether a value may be a secret: what only says that there is one, is none. */
const mayBeSecret = (value: unknown): boolean => Boolean(value) && value !== true;

/** Methods that do not make a class more than data. */
const OF_DATA = /^(constructor|to(Locale)?String|valueOf)$/;

/** Prototypes by whether a class of that kind does something. */
const known = new WeakMap<object, boolean>();

/**
 * Whether an instance of a class is data as one's own types for requests and rows are: its class and those above have no methods by name,
 * and none of its members is a function. All else (clients, pools, services) has keys and connections inside that nobody wants
 * recorded (docs/sdk.md#instances-of-classes).
 * @throws what a trap of a proxy throws.
 */
const isPlainData = (instance: object, prototype: object): boolean =>
  !hasMethods(prototype) && !Object.keys(instance).some((key) => isFunction(instance, key));

function hasMethods(prototype: object): boolean {
  let answer = known.get(prototype);
  if (answer === undefined) {
    const above = Object.getPrototypeOf(prototype) as object | null;
    // The topmost one is that of all objects, also of another realm.
    answer =
      above !== null &&
      (Object.getOwnPropertyNames(prototype).some((key) => !OF_DATA.test(key) && isFunction(prototype, key)) ||
        hasMethods(above));
    known.set(prototype, answer);
  }
  return answer;
}

/** A member of an object itself; getters are not asked. */
const ownValue = (of: object, key: string): unknown => Object.getOwnPropertyDescriptor(of, key)?.value;

const isFunction = (of: object, key: string): boolean => typeof ownValue(of, key) === 'function';

/** The server takes bodies of 200 levels, of which the span around it needs some. */
export const LEVELS_MAX = 128;
/** So many members an object may have for the server to take it. */
const MEMBERS_MAX = 100_000;
const INHERITED = {};

/**
 * Reads any value as what JSON has values for: texts, numbers, `true`, `false`, `null`, lists and plain objects, whose copies
 * these are. Never throws: what JSON has no value for, or throws when it is read, becomes a text in square brackets that says
 * what it was (docs/sdk.md#what-values-become). Everything is read once.
 */
export class PlainReader {
  isTruncated = false;
  /** The JSON of what was read has as many characters, or more. */
  length = 0;
  /** The objects that are being read, the outermost first. */
  private readonly ancestors: object[] = [];

  /** @param lengthMax of the JSON. @param masksSecrets whether {@link MASKED} stands for what is named like a secret. */
  constructor(
    private readonly lengthMax: number,
    private readonly masksSecrets: boolean,
  ) {}

  /** @param key where it stands, which `toJSON` is given. */
  read(value: unknown, key: string | number): unknown {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return Number.isFinite(value) ? value : this.text(`[${value}]`);
      case 'boolean':
        return value;
      case 'undefined':
        return null;
      case 'bigint':
        return this.text(`${value}n`);
      case 'symbol':
        return this.text(`[${String(value)}]`);
      default:
        return value === null ? null : this.reference(value as object, key);
    }
  }

  private text(text: string): string {
    this.length += text.length;
    return text;
  }

  /** An object that throws in between is none of what was read of it. */
  private reference(value: object, key: string | number): unknown {
    const { length } = this;
    const level = this.ancestors.length;
    try {
      return this.object(value, key);
    } catch (error) {
      this.length = length;
      this.ancestors.length = level;
      return this.text(thrown(error));
    }
  }

  /** @param source what `value` stands for, by which cycles are found. @param isAsked whether `toJSON` gave `value`. */
  private object(value: object, key: string | number, source = value, isAsked = false): unknown {
    if (typeof value === 'function') return this.text(`[function ${String(value.name) || 'without a name'}]`);
    if (this.ancestors.includes(value)) return this.text('[circular]');
    if (this.ancestors.length === LEVELS_MAX) {
      this.isTruncated = true;
      return this.text(`[more than ${LEVELS_MAX} levels]`);
    }
    if (Array.isArray(value)) return this.list(source, value);
    const prototype = Object.getPrototypeOf(value) as object | null;
    const plain = prototype === Object.prototype || prototype === null ? value : toPlain(value, prototype);
    if (typeof plain !== 'object') return this.read(plain, key);
    if (Array.isArray(plain)) return this.list(source, plain);
    if (plain !== value || isAsked) return this.members(source, plain, key);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.members(source, value, key);
    const given: unknown = toJSON.call(value, String(key));
    if (typeof given !== 'object' || given === null) return this.read(given, key);
    return this.object(given, key, value, true);
  }

  private list(source: object, items: ArrayLike<unknown>): unknown[] {
    const copy: unknown[] = [];
    this.ancestors.push(source);
    const { length } = items;
    let first: unknown;
    for (let index = 0; index < length; index++) {
      if (this.length > this.lengthMax) {
        this.isTruncated = true;
        break;
      }
      // An item and a comma.
      this.length += 2;
      const item = readMember(items, index);
      if (index === 0) first = item;
      // A header as a pair of its name and its value.
      const isSecret = index === 1 && length === 2 && this.masksSecrets && isSecretName(first) && mayBeSecret(item);
      copy.push(isSecret ? this.text(MASKED) : this.read(item, index));
    }
    this.ancestors.pop();
    return copy;
  }

  /** @param place where the object itself stands. */
  private members(source: object, members: object, place: string | number): object {
    const copy: Record<string, unknown> = {};
    this.ancestors.push(source);
    let count = 0;
    for (const key of Object.keys(members)) {
      if (this.length > this.lengthMax || count === MEMBERS_MAX) {
        this.isTruncated = true;
        break;
      }
      const value = readMember(members, key);
      if (value === undefined) continue;
      count++;
      // Quotes, a colon, a comma and the value.
      this.length += key.length + 5;
      const read = this.hides(members, key, value, place) ? this.text(MASKED) : this.read(value, key);
      // What all objects inherit may be frozen, or have a setter.
      if (key in INHERITED) Object.defineProperty(copy, key, { value: read, enumerable: true });
      else copy[key] = read;
    }
    this.ancestors.pop();
    return copy;
  }

  /** Whether a value stays out of the recording for the name of its member. */
  private hides(members: object, key: string, value: unknown, place: string | number): boolean {
    // A header, a variable or a form field as `{ name, value }`.
    const name = key === 'value' ? (ownValue(members, 'name') ?? ownValue(members, 'key')) : key;
    if (!isSecretName(name) || !this.masksSecrets || !mayBeSecret(value)) return false;
    // A JSON schema says what a secret looks like.
    if (place === 'properties' && typeof value === 'object') return false;
    // Log probabilities are those of pieces of text, and tokens of a tokenizer are numbers.
    return !/token$/i.test(key) || !('logprob' in members || typeof value === 'number');
  }
}

/** @returns what stands for an instance of a class: a plain value, a list, a plain object, or itself. */
function toPlain(value: object, prototype: object): object | string | number | boolean {
  const tag = Object.prototype.toString.call(value);
  if (value instanceof Error || tag === '[object Error]') return toPlainError(value as Error);
  if (value instanceof Map) return toPlainMap(value);
  if (value instanceof Set) return [...value];
  if (/^\[object (String|Number|Boolean)\]$/.test(tag)) return value.valueOf();
  if (value instanceof RegExp) return String(value);
  const name = String(value.constructor?.name || 'Object');
  if (value instanceof Float32Array || value instanceof Float64Array) return [...value];
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${name} of ${value.byteLength} bytes]`;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return value;
  // Sockets, streams, clients and what hangs on them.
  return isPlainData(value, prototype) && (name === 'Object' || Object.keys(value).length > 0) ? value : `[${name}]`;
}

/** An error without what clients hang on it: requests and their headers. */
function toPlainError(error: Error): object {
  return Object.fromEntries(
    ['name', 'message', 'stack', 'code', 'cause', 'errors'].map((key) => [key, readMember(error, key)]),
  );
}

function toPlainMap(map: Map<unknown, unknown>): object {
  const entries = [...map];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

/** Reads one member; one that throws is a text that says so. */
function readMember(from: ArrayLike<unknown> | object, key: string | number): unknown {
  try {
    return (from as Record<string | number, unknown>)[key];
  } catch (error) {
    return thrown(error);
  }
}

function thrown(error: unknown): string {
  try {
    return error instanceof Error ? `[threw ${error.name}]` : '[threw]';
  } catch {
    return '[threw]';
  }
}
