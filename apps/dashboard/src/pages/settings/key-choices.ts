import type { Permission } from '@spandrel/contract';

const DAY_MS = 86_400_000;

/** What a key may be given, in words. */
export const SCOPES: readonly { scope: Permission; label: string; isUsual: boolean }[] = [
  { scope: 'read', label: 'read: see everything', isUsual: true },
  { scope: 'write', label: 'write: change everything', isUsual: true },
  { scope: 'ingest', label: 'ingest: record, and nothing else', isUsual: false },
  { scope: 'review', label: 'review: claim and submit items', isUsual: false },
  { scope: 'admin', label: 'admin: administer the organization', isUsual: false },
];

/** The choice of the form, in days. */
export const USUAL_END = '90';

/** When a key may end, by days. */
export const ENDS: readonly { value: string; label: string }[] = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The moment so many days from now, as a timestamp. @returns `null` for never. */
export const endAfter = (days: string, now: number): string | null =>
  days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString();
