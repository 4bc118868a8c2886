/**
 * Replaces a member of one object, and of no other, in a way that lists of its members do not show.
 * @returns false where the object does not allow it.
 */
export const setOwnMember = (object: object, name: PropertyKey, value: unknown): boolean =>
  Reflect.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
