/** Lists and objects that are known to be large, as `isLargeJson` says: to weigh them again takes long. */
const large = new WeakSet<object>();

/** Names of the members of large objects: V8 sorts 100,000 names in 15 ms, each time that one begins to look at them. */
const namesOf = new WeakMap<object, readonly string[]>();

export function noteLarge(value: object): void {
  large.add(value);
}

/** How many levels large lists and objects that came as JSON have at most. */
const levelsOf = new WeakMap<object, number>();

/** Notes a large list, or an object and its names, that does not change. @param levels that it has at most. */
export function noteNames(value: object, levels = Infinity): void {
  large.add(value);
  levelsOf.set(value, levels);
  if (!Array.isArray(value)) namesOf.set(value, Object.keys(value));
}

export const isKnownLarge = (value: object): boolean => large.has(value);

/** Whether a list or an object is known to have no more levels than that: to look at all that is in it takes long. */
export const hasAtMost = (value: object, levels: number): boolean => (levelsOf.get(value) ?? Infinity) <= levels;

/** The names of an object's own members, in their order; those of a large object that came as JSON are at hand. */
export const memberNames = (object: object): readonly string[] => namesOf.get(object) ?? Object.keys(object);
