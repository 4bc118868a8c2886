/**
 * Which datapoints belong together, for standard errors: questions about one document, say, are right or wrong together. `null`
 * in the place of clusters says that none were asked for and every datapoint is one by itself.
 */
export class Clusters {
  /** The number of the cluster of each datapoint, in the order of the datapoints. */
  readonly numbers: Int32Array;
  /** How many clusters there are; their numbers are below it. */
  total = 0;
  private added = 0;
  private readonly numberOf = new Map<string, number>();

  /** @param capacity datapoints at most. */
  constructor(capacity: number) {
    this.numbers = new Int32Array(capacity);
  }

  /** Adds the next datapoint. @param key of its cluster; `undefined`: it belongs to none and is one by itself. */
  add(key: string | undefined): void {
    let number = key === undefined ? undefined : this.numberOf.get(key);
    if (number === undefined) {
      number = this.total++;
      if (key !== undefined) this.numberOf.set(key, number);
    }
    this.numbers[this.added++] = number;
  }
}

/**
 * @param metadata of a datapoint. @param member the top-level member that says where it belongs.
 * @returns a key for {@link Clusters.add}; `undefined` when the member is missing or `null`. Equal values have equal keys,
 * whatever the order of their members; the number 1 and the text "1" are two values.
 */
export function clusterKey(metadata: unknown, member: string): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, member)) return undefined;
  const value = (metadata as Record<string, unknown>)[member] ?? null;
  return value === null ? undefined : JSON.stringify(value, sortedMembers);
}

const sortedMembers = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
