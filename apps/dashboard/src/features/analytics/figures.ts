import type { BucketSums, CountedThing, Split, TimeBucket } from '@spandrel/contract';
import type { AnalyticsSearch } from './analytics-search.js';
import { formatCount } from '@spandrel/contract/browser';
import type { ChartSeries, ColourToken } from '../../components/chart-series.js';
import {
  formatCost,
  formatCostExactly,
  formatDuration,
  formatDurationExactly,
  formatId,
} from '../../components/format.js';

export type FigureName = 'Cost' | 'Tokens' | 'Spans' | 'Calls' | 'Latency' | 'Errors';

export interface Figure {
  name: FigureName;
  form: 'bars' | 'lines';
  isWhole: boolean;
  /** What it counts; left out: what the query says. */
  of?: CountedThing;
  /** The value that is drawn, of the sums of a bucket or of a key in it. */
  valueOf(sums: BucketSums): number | null;
  format(value: number | null): string;
  formatExactly(value: number | null): string;
  /** How the list of a bucket's spans begins with those that make the bar high. */
  spans?: Readonly<Record<string, string>>;
}

const mostFirst = (sortBy: string) => ({ sort_by: sortBy, sort_order: 'desc' });

const COUNTS = { form: 'bars', isWhole: true, format: formatCount, formatExactly: formatCount } as const;

export const FIGURES: readonly Figure[] = [
  {
    name: 'Cost',
    form: 'bars',
    isWhole: false,
    of: 'spans',
    valueOf: ({ cost }) => cost,
    format: formatCost,
    formatExactly: formatCostExactly,
    spans: mostFirst('cost'),
  },
  { ...COUNTS, name: 'Tokens', of: 'spans', valueOf: ({ tokens }) => tokens, spans: mostFirst('tokens') },
  { ...COUNTS, name: 'Spans', of: 'spans', valueOf: ({ span_count }) => span_count },
  { ...COUNTS, name: 'Calls', of: 'llm_calls', valueOf: ({ span_count }) => span_count },
  {
    name: 'Latency',
    form: 'lines',
    isWhole: false,
    valueOf: ({ avg_latency_ms }) => avg_latency_ms,
    format: formatDuration,
    formatExactly: formatDurationExactly,
    spans: mostFirst('duration'),
  },
  { ...COUNTS, name: 'Errors', valueOf: ({ error_count }) => error_count, spans: { status: 'failed' } },
];

/** The query of a figure, with what it counts. */
export const queryOf = (figure: Figure, query: AnalyticsSearch): AnalyticsSearch => ({
  ...query,
  of: figure.of ?? query.of ?? 'llm_calls',
});

const COLOURS: readonly ColourToken[] = Array.from({ length: 8 }, (_, at) => `--kind-${at + 1}` as const);
/** How many keys of a split are distinguished. */
export const KEYS_MAX = COLOURS.length;
const OTHERS = { label: 'Others', colour: '--line-strong' } as const;
const NAMELESS: Readonly<Partial<Record<Split, string>>> = {
  model: 'No model',
  provider: 'No provider',
  user: 'No user',
  session: 'No session',
  tag: 'No tag',
  trace_name: 'No name',
};
const STATUSES: Readonly<Record<string, { label: string; colour: ColourToken }>> = {
  completed: { label: 'Completed', colour: '--status-ok' },
  failed: { label: 'Failed', colour: '--status-failed' },
  running: { label: 'Running', colour: '--status-running' },
};

/** Percentiles, the lines apart from each other without their colours, too. */
const PERCENTILES: readonly (Omit<ChartSeries, 'values'> & { member: 'p50_ms' | 'p95_ms' | 'p99_ms' })[] = [
  { label: 'p50', member: 'p50_ms', colour: '--kind-2', dash: [6, 3] },
  { label: 'p95', member: 'p95_ms', colour: '--kind-3', dash: [3, 3] },
  { label: 'p99', member: 'p99_ms', colour: '--kind-5', dash: [1, 3] },
];

/** The parts of tokens. */
const TOKENS: readonly (Omit<ChartSeries, 'values'> & { valueOf(sums: BucketSums): number })[] = [
  {
    label: 'Input',
    colour: '--kind-1',
    valueOf: ({ input_tokens: input, cached_input_tokens: cached }) => (input ?? 0) - (cached ?? 0),
  },
  { label: 'Cached input', colour: '--kind-3', valueOf: ({ cached_input_tokens: cached }) => cached ?? 0 },
  { label: 'Output', colour: '--kind-2', valueOf: ({ output_tokens: output }) => output ?? 0 },
];

export interface ShownKey {
  key: string | null;
  label: string;
  colour: ColourToken;
}

/** The keys of a split, those that cost most in the range first. @param series of the totals. */
export function shownKeys(series: readonly { key: string | null }[], split: Split): ShownKey[] {
  // With fewer keys than can be distinguished, all that is left are spans without one.
  const isNameless = series.filter(({ key }) => key !== null).length < KEYS_MAX;
  return series.map(({ key }, place) => {
    if (key === null) return { key, ...OTHERS, ...(isNameless && { label: NAMELESS[split] ?? 'None' }) };
    if (split === 'status') return { key, ...(STATUSES[key] ?? OTHERS) };
    return { key, label: formatId(key), colour: COLOURS[place % COLOURS.length]! };
  });
}

/** The values of a figure. @param keys of the split; `null` where nothing is split. */
export function seriesOf(
  figure: Figure,
  buckets: readonly TimeBucket[],
  keys: readonly ShownKey[] | null,
): ChartSeries[] {
  if (keys !== null) {
    const byKey = buckets.map(({ series = [] }) => new Map(series.map((one) => [one.key, figure.valueOf(one)])));
    const series = keys.map(({ key, label, colour }) => ({
      key,
      label,
      colour,
      values: byKey.map((values) => values.get(key) ?? (figure.form === 'bars' ? 0 : null)),
    }));
    // What has none of it at all is in no legend, such as tools in that of costs.
    const some = series.filter(({ values }) => values.some((value) => value !== null && value !== 0));
    return some.length > 0 ? some : series;
  }
  const values = buckets.map(figure.valueOf);
  const colour = figure.name === 'Errors' ? '--status-failed' : '--kind-1';
  if (figure.name === 'Tokens') {
    return TOKENS.map(({ valueOf, ...part }) => ({ ...part, values: buckets.map(valueOf) }));
  }
  if (figure.name !== 'Latency') return [{ label: figure.name, colour, values }];
  return [
    { label: 'Average', colour, values },
    ...PERCENTILES.map(({ member, ...line }) => ({ ...line, values: buckets.map((bucket) => bucket[member] ?? null) })),
  ];
}
