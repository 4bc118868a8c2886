import { formatCount, formatCounted } from '@spandrel/contract/browser';
import type { PagedList } from './use-paged-list.js';

/**
 * How many rows a list has: `2,013 traces`, `10,000+ traces`.
 * @param counted what the server counted; `undefined` while it does, `null` where nobody asked it.
 */
export function describeCount(
  list: Pick<PagedList<unknown>, 'length' | 'isComplete' | 'isWaiting'>,
  counted: { count: number; exact: boolean } | null | undefined,
  one: string,
): string {
  if (list.isComplete && !list.isWaiting) return formatCounted(list.length, one);
  if (counted === undefined || list.isWaiting) return `Counting ${one}s`;
  // Rows that came after the count are not in it.
  if (counted === null || counted.count < list.length) return `${formatCount(list.length)}+ ${one}s`;
  return counted.exact ? formatCounted(counted.count, one) : `${formatCount(counted.count)}+ ${one}s`;
}
