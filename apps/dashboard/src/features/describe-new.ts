import { formatCount, formatCounted } from '@spandrel/contract/browser';

/**
 * How many of several things are new: `3 datapoints`, or `3, 1 was there already` where some are not.
 * @param one what they are called: `datapoint`.
 */
export const describeNew = (added: number, existing: number, one: string): string =>
  existing === 0 ? formatCounted(added, one) : `${formatCount(added)}, ${describeExisting(existing)}`;

/** `1 was there already`, `2 were there already`. */
export const describeExisting = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'was' : 'were'} there already`;
