import { timeSeriesSchema, type TimeBucket, type TimeSeriesAnswer } from '@spandrel/contract';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import { factLines, type Column } from '../output/table.js';
import { costText, countText, durationText, percentText } from '../output/units.js';
import { addParameterFlags, readParameters } from '../parameter-flags.js';

export function addStats(client: ClientProgram, description: string): void {
  const stats = client.program
    .command('stats')
    .description(`${description}: over time when any of the flags for a range, buckets or filters is given`);
  addParameterFlags(stats, timeSeriesSchema);
  clientCommand<object, []>(client, stats, showStats);
}

async function showStats(call: ClientCall<object>): Promise<void> {
  const asked = readParameters(timeSeriesSchema, call.options);
  return Object.keys(asked).length === 0 ? showSummary(call) : showOverTime(call, asked);
}

async function showSummary({ api, out }: ClientCall<object>): Promise<void> {
  const summary = await api.getAnalyticsSummary();
  if (out.json) return out.document(summary);
  const facts = factLines(
    [
      ['Traces', countText(summary.total_traces)],
      ['Spans', countText(summary.total_spans)],
      ['Failed', percentText(summary.error_rate)],
      ['Tokens', countText(summary.total_tokens)],
      ['Cost', costText(summary.total_cost)],
      ['Without a price', summary.unpriced_count > 0 ? `${countText(summary.unpriced_count)} spans` : null],
      ['Mean latency', durationText(summary.avg_latency_ms)],
    ],
    out.paint,
  );
  const models = Object.entries(summary.models).toSorted(([, one], [, other]) => (other.cost ?? 0) - (one.cost ?? 0));
  const table = out.table<(typeof models)[number]>([
    { title: 'MODEL', text: ([model]) => model, style: () => 'cyan', shrinks: true },
    { title: 'CALLS', text: ([, { count }]) => countText(count), align: 'right' },
    { title: 'TOKENS', text: ([, { tokens }]) => countText(tokens), align: 'right' },
    { title: 'COST', text: ([, { cost }]) => costText(cost), align: 'right' },
  ]);
  await out.lines(models.length === 0 ? facts : [...facts, '', ...table.lines(models)]);
}

/** A bucket, or what one of the keys of a split comes to in it. */
interface Line extends Omit<TimeBucket, 'series'> {
  key?: string;
}

async function showOverTime({ api, out }: ClientCall<object>, asked: Record<string, unknown>): Promise<void> {
  const answer = (await api.queryAnalytics({ body: asked, retry: true })) as TimeSeriesAnswer;
  if (out.json) return out.document(answer);
  const lines = answer.buckets.flatMap(({ series, ...bucket }): Line[] =>
    series === undefined
      ? [bucket]
      : series.map(({ key, ...sums }) => ({ timestamp: bucket.timestamp, ...sums, key: key ?? '(others)' })),
  );
  if (lines.length === 0) out.note('no spans');
  else await out.lines(out.table(columnsOf(asked)).lines(lines));
}

const keyOf = ({ key = '' }: Line): string => key;

const columnsOf = ({ split_by: split, percentiles }: Record<string, unknown>): Column<Line>[] => {
  const percentile = (name: 'p50_ms' | 'p95_ms' | 'p99_ms'): Column<Line> => ({
    title: name.slice(0, 3).toUpperCase(),
    text: (line) => durationText(line[name]),
    align: 'right',
  });
  return [
    // Buckets begin on boundaries of UTC: another zone would show days that begin at odd hours.
    { title: 'SINCE (UTC)', text: ({ timestamp }) => timestamp.slice(0, 16).replace('T', ' ') },
    ...(split === undefined ? [] : [{ title: String(split).toUpperCase(), text: keyOf, shrinks: true }]),
    { title: 'SPANS', text: ({ span_count: spans }) => countText(spans), align: 'right' },
    {
      title: 'FAILED',
      text: ({ error_count: failed }) => countText(failed),
      align: 'right',
      style: ({ error_count: failed }) => (failed > 0 ? 'red' : undefined),
    },
    { title: 'TOKENS', text: ({ tokens }) => countText(tokens), align: 'right', leaveOut: 1 },
    { title: 'COST', text: ({ cost }) => costText(cost), align: 'right' },
    { title: 'MEAN', text: ({ avg_latency_ms: mean }) => durationText(mean), align: 'right', leaveOut: 2 },
    ...(percentiles === true ? [percentile('p50_ms'), percentile('p95_ms'), percentile('p99_ms')] : []),
  ];
};
