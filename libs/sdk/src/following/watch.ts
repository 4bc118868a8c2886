import { PlainReader } from '../recording/plain-reader.js';

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** What is called for the result of a function. No method throws but `run`, which throws what its work throws. */
export interface Watch {
  run<Result>(step: () => Result): Result;
  /** A generator or stream gave an item. */
  item?(item: unknown): void;
  /**
   * It gave all that it will: a value, or what a generator returned after its items.
   * @returns what the end may wait for; not all that is watched waits.
   */
  ended?(value: unknown): unknown;
  /** The reader wants no more. */
  stopped?(value: unknown): void;
  failed?(error: unknown): void;
}

/** What is reported of a result in the end, once: what it was, or what was thrown. */
export interface Ending {
  run<Result>(step: () => Result): Result;
  /** @param isWhole false where the reader of a stream stopped early. @returns what the end of a stream may wait for. */
  ended(value: unknown, isWhole?: boolean): unknown;
  /** @param output what a stream gave before it failed. */
  failed(error: unknown, output?: unknown): void;
  /** So much of a stream is kept for `ended`; nothing when left out. */
  payloadBytes?: number | undefined;
}

/** Makes a watch for each reader of a stream, of which all report to the same ending. */
export type WatchReader = () => Watch;

/** Replaces a member of one object alone, not enumerable. @returns false where the object does not allow it. */
export const setOwnMember = (object: object, name: PropertyKey, value: unknown): boolean =>
  Reflect.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

/** Whether a member of an object is a function. @throws what a getter throws. */
export const hasMethod = (object: object, name: PropertyKey): boolean =>
  typeof (object as Record<PropertyKey, unknown>)[name] === 'function';

export type Thenable = object & { then: (...args: unknown[]) => unknown };

export const isThenable = (value: unknown): value is Thenable =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && hasMethod(value, 'then');

/** Keeps the items of a generator or stream as they were when they came, up to what is recorded of them. */
function collectItems(payloadBytes: number) {
  const items: unknown[] = [];
  let units = 0;
  return {
    add(item: unknown): void {
      // So much more is kept than is recorded that it is seen to be cut.
      if (units > payloadBytes) return;
      // Secrets are left out when all of it is recorded, behind the application's own mask.
      const reader = new PlainReader(payloadBytes, false);
      items.push(reader.read(item, ''));
      // Others than texts are not joined: they have a comma each.
      units += reader.length + (typeof item === 'string' ? 0 : 1);
    },
    /** @returns texts as one text, all else as a list, beside what a generator `returned`. */
    whole(returned: unknown): unknown {
      if (items.length === 0 && returned !== undefined) return returned;
      const whole = items.length > 0 && items.every((item) => typeof item === 'string') ? items.join('') : items;
      return returned === undefined ? whole : { items: whole, returned };
    },
    /** @returns what there is of a stream that failed; nothing where nothing came. */
    partial(): unknown {
      return items.length === 0 ? undefined : this.whole(undefined);
    },
  };
}

/**
 * @returns what makes the watch of each reader of one stream, which may be divided among several: it has ended when one of
 *   them has read it to its end, when all that began to read have stopped, or when reading fails.
 */
export function collecting(ending: Ending): WatchReader {
  let readers = 0;
  return () => {
    const collected = ending.payloadBytes === undefined ? undefined : collectItems(ending.payloadBytes);
    let hasBegun = false;
    return {
      run(step) {
        if (!hasBegun) readers++;
        hasBegun = true;
        return ending.run(step);
      },
      item: (item) => collected?.add(item),
      ended: (returned) => ending.ended(collected?.whole(returned), true),
      stopped(returned) {
        if (--readers <= 0) ending.ended(collected?.whole(returned), false);
      },
      failed: (error) => ending.failed(error, collected?.partial()),
    };
  };
}
