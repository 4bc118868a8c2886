/** A datapoint in a range of versions of its dataset: `[from, to)`, open while it is the current one. */
export interface VersionRange {
  from: number;
  to: number | null;
  /** What versions distinguish in it. */
  asked: string;
}

/** What a version of a datapoint does to those that are here. */
export type Placement<Range extends VersionRange> =
  | { type: 'there' }
  | { type: 'add'; from: number; to: number }
  /** The one that is here ends earlier. */
  | { type: 'shorten'; range: Range; to: number }
  /** The current one begins earlier. */
  | { type: 'lengthen'; range: Range; from: number }
  | { type: 'conflict' }
  /** There is no current datapoint. */
  | { type: 'missing' };

/**
 * Where a version of a datapoint goes beside those that are here. What snapshots see here stays as it is: nothing changes
 * at versions up to the pinned one.
 * @param there the ranges of this datapoint.
 * @param given `asked` is left aside for the current one, which has been brought back before.
 */
export function placeVersion<Range extends VersionRange>(
  there: readonly Range[],
  given: VersionRange,
  { version, pinnedVersion }: { version: number; pinnedVersion: number },
): Placement<Range> {
  // The datapoint may have changed while the export was being written, in versions that the file does not have.
  const from = Math.min(given.from, version);
  const overlaps = (begin: number, end: number, but?: VersionRange): boolean =>
    there.some((one) => one !== but && one.from < end && (one.to === null || one.to > begin));
  if (given.to === null) {
    const current = there.find(({ to }) => to === null);
    if (!current) return { type: 'missing' };
    if (current.from === from) return { type: 'there' };
    const isFree = current.from > from && from > pinnedVersion && !overlaps(from, current.from, current);
    return isFree ? { type: 'lengthen', range: current, from } : { type: 'conflict' };
  }
  const to = Math.min(given.to, version);
  if (from >= to) return { type: 'there' };
  const same = there.find((one) => one.from === from && one.asked === given.asked);
  if (same?.to === to) return { type: 'there' };
  if (same && same.to !== null && same.to > to && to > pinnedVersion) return { type: 'shorten', range: same, to };
  return from > pinnedVersion && !overlaps(from, to) ? { type: 'add', from, to } : { type: 'conflict' };
}
