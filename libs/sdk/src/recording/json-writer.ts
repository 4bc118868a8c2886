import { utf8Bytes } from '../delivery/utf8-bytes.js';

/** A value as JSON. */
export interface Serialised {
  /** Undefined for what JSON has no value for: `undefined`. */
  json: string | undefined;
  /** Some of it was left out. */
  isTruncated: boolean;
}

/** The server takes bodies of 200 levels, of which the span around it needs some. */
const LEVELS_MAX = 128;
/** So many members an object may have for the server to take it. */
const MEMBERS_MAX = 100_000;
/** The room that a number, a word and the brackets of an empty list need at most. */
const SMALL = 32;

/**
 * Writes any value as JSON. Never throws: what cannot be written, or throws when it is read, becomes a text in square
 * brackets that says what it was (docs/sdk.md#what-values-become). Everything is read once.
 * @param bytesMax UTF-8 bytes of the JSON; texts are cut and members left out so that it has no more.
 */
export function serialise(value: unknown, bytesMax: number): Serialised {
  if (value === undefined) return { json: undefined, isTruncated: false };
  const writer = new JsonWriter(bytesMax);
  writer.write(value, '');
  return { json: writer.out, isTruncated: writer.isTruncated };
}

class JsonWriter {
  out = '';
  isTruncated = false;
  /** Bytes of `out`, or its UTF-16 units as long as these are so few that bytes need not be counted. */
  private used = 0;
  private isExact = false;
  /** The objects that are being written, the outermost first. */
  private readonly ancestors: object[] = [];

  constructor(private readonly bytesMax: number) {}

  write(value: unknown, key: string): void {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return Number.isFinite(value) ? this.put(String(value)) : this.text(`[${value}]`);
      case 'boolean':
        return this.put(String(value));
      case 'undefined':
        return this.put('null');
      case 'bigint':
        return this.text(`${value}n`);
      case 'symbol':
        return this.text(`[${String(value)}]`);
      default:
        return value === null ? this.put('null') : this.reference(value as object, key);
    }
  }

  /** What is written of an object that throws in between is taken back. */
  private reference(value: object, key: string): void {
    const { out, used, isExact } = this;
    const level = this.ancestors.length;
    try {
      this.object(value, key);
    } catch (error) {
      Object.assign(this, { out, used, isExact });
      this.ancestors.length = level;
      this.text(thrown(error));
    }
  }

  /**
   * @param source the object that `value` stands for, by which cycles are found.
   * @param isAsked whether `value` is what a `toJSON` gave, which JSON asks no further.
   */
  private object(value: object, key: string, source = value, isAsked = false): void {
    if (typeof value === 'function') return this.text(`[function ${String(value.name) || 'without a name'}]`);
    if (this.ancestors.includes(value)) return this.text('[circular]');
    if (this.ancestors.length === LEVELS_MAX) {
      this.isTruncated = true;
      return this.text(`[more than ${LEVELS_MAX} levels]`);
    }
    if (Array.isArray(value)) return this.list(source, value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const plain = prototype === Object.prototype || prototype === null ? value : asPlain(value);
    if (typeof plain !== 'object') return this.write(plain, key);
    if (Array.isArray(plain)) return this.list(source, plain);
    if (plain !== value || isAsked) return this.members(source, plain);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.members(source, value);
    const given: unknown = toJSON.call(value, key);
    if (typeof given !== 'object' || given === null) return this.write(given, key);
    this.object(given, key, value, true);
  }

  private list(source: object, items: ArrayLike<unknown>): void {
    this.put('[');
    this.ancestors.push(source);
    const { length } = items;
    for (let index = 0; index < length; index++) {
      if (this.isFull) {
        this.isTruncated = true;
        break;
      }
      if (index > 0) this.put(',');
      const item = read(items, index);
      this.write(item, String(index));
    }
    this.ancestors.pop();
    this.put(']');
  }

  private members(source: object, members: object): void {
    this.put('{');
    this.ancestors.push(source);
    let count = 0;
    for (const key of Object.keys(members)) {
      if (this.isFull || count === MEMBERS_MAX) {
        this.isTruncated = true;
        break;
      }
      const value = read(members, key);
      if (value === undefined) continue;
      const name = `${count === 0 ? '' : ','}${JSON.stringify(key)}:`;
      if (!this.hasRoomFor(name)) {
        this.isTruncated = true;
        break;
      }
      count++;
      this.out += name;
      this.used += this.isExact ? utf8Bytes(name) : name.length;
      this.write(value, key);
    }
    this.ancestors.pop();
    this.put('}');
  }

  /** @param ascii few characters. */
  private put(ascii: string): void {
    this.out += ascii;
    this.used += ascii.length;
  }

  private text(text: string): void {
    const quoted = this.isNear(text.length) ? '' : JSON.stringify(text);
    if (this.isNear(quoted.length)) return this.exactText(text);
    this.out += quoted;
    this.used += quoted.length;
  }

  /** Cuts the text to what there is room for. */
  private exactText(text: string): void {
    const room = Math.max(this.room, 2);
    let cut = text.length > room ? text.slice(0, room) : text;
    let quoted = JSON.stringify(cut);
    let bytes = utf8Bytes(quoted);
    while (bytes > room) {
      cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * room) / bytes)));
      quoted = JSON.stringify(cut);
      bytes = utf8Bytes(quoted);
    }
    if (cut.length < text.length) {
      this.isTruncated = true;
      // No half of a pair at the end.
      if (/[\ud800-\udbff]$/.test(cut)) quoted = JSON.stringify(cut.slice(0, -1));
      bytes = utf8Bytes(quoted);
    }
    this.out += quoted;
    this.used += bytes;
  }

  /** Bytes left, beside the brackets that must still be closed. */
  private get room(): number {
    return this.bytesMax - this.used - this.ancestors.length;
  }

  private get isFull(): boolean {
    return this.isNear(SMALL) && this.room < SMALL;
  }

  private hasRoomFor(name: string): boolean {
    return !this.isNear(name.length + SMALL) || utf8Bytes(name) + SMALL <= this.room;
  }

  /** Whether bytes must be counted for so many characters more: a character takes three bytes at most. */
  private isNear(characters: number): boolean {
    if (this.isExact) return true;
    if ((this.used + this.ancestors.length + characters) * 3 <= this.bytesMax) return false;
    this.isExact = true;
    this.used = utf8Bytes(this.out);
    return true;
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
    ['name', 'message', 'stack', 'code', 'cause', 'errors'].map((key) => [key, read(error, key)]),
  );
}

function ofMap(map: Map<unknown, unknown>): object {
  const entries = [...map];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

/** Reads one member; one that throws is a text that says so. */
function read(from: ArrayLike<unknown> | object, key: string | number): unknown {
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
