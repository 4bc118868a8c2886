import type { Findings } from './acknowledged.ts';
import type { Minute } from './soak-verdict.ts';

/** What a look at the stored spans found. */
export const describeFindings = ({ lost, unfinished, doubled, unknown }: Findings): string =>
  lost + unfinished + doubled + unknown === 0
    ? 'all there'
    : `lost ${lost}, ends lost ${unfinished}, doubled ${doubled}, unknown ${unknown}`;

const COLUMNS = [
  'RSS MB',
  'heap MB',
  'file MB',
  'log MB',
  'events',
  'files',
  'p50 ms',
  'p99 ms',
  'req/s',
  'errors',
  'B/span',
];

/** The names of the columns. */
export function printHead(): void {
  console.log(`  ${'minute'.padEnd(8)}${COLUMNS.map((name) => name.padStart(9)).join('')}`);
}

/** One line of the table. */
export function printMinute(minute: Minute): void {
  const mb = (bytes: number): string => (bytes / 1_048_576).toFixed(0);
  const figures = [
    ...[mb(minute.rss), mb(minute.heap), mb(minute.database), mb(minute.wal), String(minute.eventRows ?? '-')],
    ...[String(minute.descriptors), minute.p50.toFixed(1), minute.p99.toFixed(0)],
    ...[minute.requestsPerSecond.toFixed(0), String(minute.errors)],
    ((minute.database + minute.wal) / minute.spans).toFixed(0),
  ];
  console.log(`  ${minute.at.toFixed(1).padEnd(8)}${figures.map((figure) => figure.padStart(9)).join('')}`);
}
