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
  /** Some of it was left out. */
  isTruncated = false;
  /** The JSON of what was read has as many characters, or more. */
  length = 0;
  /** The objects that are being read, the outermost first. */
  private readonly ancestors: object[] = [];

  /** @param lengthMax reading ends once the JSON has more characters. */
  constructor(private readonly lengthMax: number) {}

  /** @param key where it stands, which `toJSON` is told. */
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

  /**
   * @param source the object that `value` stands for, by which cycles are found.
   * @param isAsked whether `value` is what a `toJSON` gave, which JSON asks no further.
   */
  private object(value: object, key: string | number, source = value, isAsked = false): unknown {
    if (typeof value === 'function') return this.text(`[function ${String(value.name) || 'without a name'}]`);
    if (this.ancestors.includes(value)) return this.text('[circular]');
    if (this.ancestors.length === LEVELS_MAX) {
      this.isTruncated = true;
      return this.text(`[more than ${LEVELS_MAX} levels]`);
    }
    if (Array.isArray(value)) return this.list(source, value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const plain = prototype === Object.prototype || prototype === null ? value : asPlain(value);
    if (typeof plain !== 'object') return this.read(plain, key);
    if (Array.isArray(plain)) return this.list(source, plain);
    if (plain !== value || isAsked) return this.members(source, plain);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.members(source, value);
    const given: unknown = toJSON.call(value, String(key));
    if (typeof given !== 'object' || given === null) return this.read(given, key);
    return this.object(given, key, value, true);
  }

  private list(source: object, items: ArrayLike<unknown>): unknown[] {
    const copy: unknown[] = [];
    this.ancestors.push(source);
    const { length } = items;
    for (let index = 0; index < length; index++) {
      if (this.length > this.lengthMax) {
        this.isTruncated = true;
        break;
      }
      // An item and a comma.
      this.length += 2;
      copy.push(this.read(memberOf(items, index), index));
    }
    this.ancestors.pop();
    return copy;
  }

  private members(source: object, members: object): object {
    const copy: Record<string, unknown> = {};
    this.ancestors.push(source);
    let count = 0;
    for (const key of Object.keys(members)) {
      if (this.length > this.lengthMax || count === MEMBERS_MAX) {
        this.isTruncated = true;
        break;
      }
      const value = memberOf(members, key);
      if (value === undefined) continue;
      count++;
      // Quotes, a colon, a comma and the value.
      this.length += key.length + 5;
      const read = this.read(value, key);
      // What all objects inherit may be frozen, or have a setter.
      if (key in INHERITED) Object.defineProperty(copy, key, { value: read, enumerable: true });
      else copy[key] = read;
    }
    this.ancestors.pop();
    return copy;
  }
}

/** @returns what stands for an instance of a class: a plain value, a list, a plain object, or itself. */
function asPlain(value: object): object | string | number | boolean {
  const tag = Object.prototype.toString.call(value);
  if (value instanceof Error || tag === '[object Error]') return ofError(value as Error);
  if (value instanceof Map) return ofMap(value);
  if (value instanceof Set) return [...value];
  if (/^\[object (String|Number|Boolean)\]$/.test(tag)) return value.valueOf();
  if (value instanceof RegExp) return String(value);
  const name = String(value.constructor?.name || 'Object');
  if (value instanceof Float32Array || value instanceof Float64Array) return [...value];
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${name} of ${value.byteLength} bytes]`;
  const { toJSON, emit, on } = value as Record<'toJSON' | 'emit' | 'on', unknown>;
  if (typeof toJSON === 'function') return value;
  // Sockets, streams and what hangs on them.
  if (typeof emit === 'function' && typeof on === 'function') return `[${name}]`;
  return name !== 'Object' && Object.keys(value).length === 0 ? `[${name}]` : value;
}

/** An error without what clients hang on it: requests and their headers. */
function ofError(error: Error): object {
  return Object.fromEntries(
    ['name', 'message', 'stack', 'code', 'cause', 'errors'].map((key) => [key, memberOf(error, key)]),
  );
}

function ofMap(map: Map<unknown, unknown>): object {
  const entries = [...map];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

/** Reads one member; one that throws is a text that says so. */
function memberOf(from: ArrayLike<unknown> | object, key: string | number): unknown {
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
