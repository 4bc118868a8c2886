// The first page of the dashboard fetches these alone (G1, scripts/check-dashboard.mjs): they are a module of their own.

/** What stands where a value is missing. */
export const NONE = '–';

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234`; an en dash for what is not known. */
export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? NONE : WHOLE.format(count);
}

/** `1 span`, `1,234 spans`. @param many plural of `one`, by default with an s. */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
