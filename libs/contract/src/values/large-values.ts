/** Lists and objects that are known to be large, as `isLargeJson` says: to weigh them again takes long. */
const large = new WeakSet<object>();

/** Names of the members of large objects: V8 sorts 100,000 names in 15 ms, each time that one begins to look at them. */
const namesOf = new WeakMap<object, readonly string[]>();

/** Notes that a list or an object is large. */
export function noteLarge(value: object): void {
  large.add(value);
}

/** Notes that a list or an object is large, and the names of an object, which does not change any more. */
export function noteNames(value: object): void {
  large.add(value);
  if (!Array.isArray(value)) namesOf.set(value, Object.keys(value));
}

/** Whether a list or an object is known to be large. */
export const isKnownLarge = (value: object): boolean => large.has(value);

/** The names of an object's own members, in their order; those of a large object that came as JSON are at hand. */
export const memberNames = (object: object): readonly string[] => namesOf.get(object) ?? Object.keys(object);
