import type { Goal } from '../verdict.ts';
import type { Findings } from './acknowledged.ts';

/** What one minute of the soak showed. */
export interface Minute {
  /** Minutes since the load began. */
  at: number;
  /** Bytes; the heap is of the API's thread. */
  rss: number;
  heap: number;
  database: number;
  wal: number;
  /** Rows of the event log; `undefined` where they cannot be counted. */
  eventRows: number | undefined;
  descriptors: number;
  /** Milliseconds of a write, from the moment it was due. */
  p50: number;
  p99: number;
  requestsPerSecond: number;
  /** Answers that were no success while the server ran. */
  errors: number;
  /** Spans sent so far. */
  spans: number;
}

/** What the whole soak showed beside its minutes. */
export interface Outcome {
  /** Findings after each kill, and of everything at the end. */
  findings: readonly Findings[];
  /** Events with a number that was not the one behind the one before. */
  eventFaults: number;
  /** Changes that were acknowledged and had no event. */
  eventsMissing: number;
  /** What a check of the file says: `ok`. */
  integrity: string;
  /** Spans by `/api/stats` less those that were listed. */
  countsApart: number;
}

const MIB = 1_048_576;
/** The log that SQLite writes ahead: cut back to 64 MiB whenever it starts over (open-sqlite.ts), and as much again meanwhile. */
const WAL_MIB_MAX = 128;
/** Minutes left out of slopes: caches fill, the compiler warms up. At least one, and a tenth of all. */
const WARM_UP_PART = 0.1;
/** Fewer minutes say nothing about a slope. */
const MINUTES_MIN = 4;

/** Every goal of the soak with its figure. Sizes and counts hold on any machine, latency does not. */
export function goalsOf(minutes: readonly Minute[], outcome: Outcome): Goal[] {
  const warm = minutes.slice(Math.max(1, Math.ceil(minutes.length * WARM_UP_PART)));
  const sum = (of: keyof Findings): number => outcome.findings.reduce((all, findings) => all + findings[of], 0);
  const count = (name: string, figure: number): Goal => ({ name, figure, bound: '<=', limit: 0, holdsAnywhere: true });
  const size = (name: string, figure: number | undefined, limit: number): Goal => ({
    ...{ name, figure, bound: '<=', limit },
    holdsAnywhere: true,
  });
  const perSpan = (of: (minute: Minute) => number | undefined): number | undefined =>
    relativeRise(warm.map((minute) => (of(minute) ?? Number.NaN) / minute.spans));
  return [
    count('acknowledged writes lost', sum('lost')),
    count('acknowledged ends lost', sum('unfinished')),
    count('spans doubled', sum('doubled')),
    count('spans nobody sent', sum('unknown')),
    count('gaps and repeats in the event stream', outcome.eventFaults),
    count('acknowledged changes without event', outcome.eventsMissing),
    count('counts of /api/stats off', Math.abs(outcome.countsApart)),
    count('faults of the database file', outcome.integrity === 'ok' ? 0 : 1),
    count(
      'errors',
      minutes.reduce((all, { errors }) => all + errors, 0),
    ),
    size('memory: rise over the run / its mean', relativeRise(warm.map(({ rss }) => rss)), 0.25),
    size('descriptors: rise over the run', riseOf(warm.map(({ descriptors }) => descriptors)), 32),
    size('log written ahead, largest, MiB', largest(minutes.map(({ wal }) => wal / MIB)), WAL_MIB_MAX),
    size(
      'bytes on disk a span: rise / mean',
      perSpan(({ database, wal }) => database + wal),
      0.1,
    ),
    size(
      'rows of the event log a span: rise / mean',
      perSpan(({ eventRows }) => eventRows),
      0.25,
    ),
    { name: 'p99 of writes, median of minutes, ms', figure: middle(warm.map(({ p99 }) => p99)), bound: '<', limit: 50 },
  ];
}

/**
 * How much the straight line through some figures rises from the first to the last: the least squares one, so that a
 * single high figure and the saw of restarts do not decide. @returns `undefined` for too few to say.
 */
export function riseOf(figures: readonly number[]): number | undefined {
  const { length } = figures;
  if (length < MINUTES_MIN) return undefined;
  const [meanX, meanY] = [(length - 1) / 2, meanOf(figures)];
  const over = figures.reduce((all, y, x) => all + (x - meanX) * (y - meanY), 0);
  const under = figures.reduce((all, _, x) => all + (x - meanX) ** 2, 0);
  return (over / under) * (length - 1);
}

function relativeRise(figures: readonly number[]): number | undefined {
  const rise = riseOf(figures);
  return rise === undefined ? undefined : rise / meanOf(figures);
}

const meanOf = (figures: readonly number[]): number => figures.reduce((sum, each) => sum + each, 0) / figures.length;
const largest = (figures: readonly number[]): number | undefined =>
  figures.length === 0 ? undefined : Math.max(...figures);
const middle = (figures: readonly number[]): number | undefined =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)];
