import type { AlertEvaluation, AlertMeasure, AlertResource, AlertRule, AlertState } from '@spandrel/contract';
import { formatCount, formatCounted, formatScore, NONE } from '@spandrel/contract/browser';
import { formatCost, formatDuration } from '../../components/format.js';

type Format = (value: number | null) => string;

const noted =
  (write: (value: number) => string): Format =>
  (value) =>
    value === null ? NONE : write(value);
const percent = noted((part) => `${Number((part * 100).toPrecision(4))}%`);
const cost = noted((dollars) => formatCost(dollars).replace(/\.00$/, ''));

/** What alerts measure: in words, the unit in which its limit is typed, and how a value is written. */
export const MEASURES: Readonly<Record<AlertMeasure, { words: string; unit: '' | '$' | '%' | 'ms'; format: Format }>> =
  {
    cost: { words: 'Cost', unit: '$', format: cost },
    tokens: { words: 'Tokens', unit: '', format: formatCount },
    calls: { words: 'LLM calls', unit: '', format: formatCount },
    error_rate: { words: 'Error rate', unit: '%', format: percent },
    latency_p95: { words: 'Latency (p95)', unit: 'ms', format: formatDuration },
    unpriced: { words: 'Spans without a price', unit: '', format: formatCount },
    score_mean: { words: 'Mean score', unit: '', format: noted(formatScore) },
    score_pass_rate: { words: 'Pass rate', unit: '%', format: percent },
    scoring_stalled: { words: 'Scoring rules that score nothing', unit: '', format: formatCount },
  };

export const STATES = {
  ok: { tone: 'ok', words: 'OK' },
  firing: { tone: 'failed', words: 'Firing' },
  no_data: { tone: 'plain', words: 'No data' },
} as const satisfies Record<AlertState, object>;

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** `1 hour` for `1h`. */
export const describeLength = (length: string): string =>
  formatCounted(Number(length.slice(0, -1)), UNITS[length.slice(-1)]!);

/** `above $5`, `up by more than 20% on the window before`. */
function describeLimit({ measure, condition }: Pick<AlertRule, 'measure' | 'condition'>): string {
  if ('op' in condition)
    return `${condition.op === '>' ? 'above' : 'below'} ${MEASURES[measure].format(condition.value)}`;
  const { change, percent: least, against } = condition;
  const before = against === 'previous' ? 'the window before' : 'the same time last week';
  return `${change === '>' ? 'up' : 'down'} by more than ${least}% on ${before}`;
}

/** `Cost by user in 1 hour`: what an alert measures. */
export function describeMeasure(rule: Pick<AlertRule, 'measure' | 'window'> & Partial<AlertRule>): string {
  const { measure, group_by: by = 'none', filters, window } = rule;
  const name = filters?.score_name ? ` of ${filters.score_name}` : '';
  return `${MEASURES[measure].words}${name}${by === 'none' ? '' : ` by ${by}`} in ${describeLength(window)}`;
}

/** `Cost by user in 1 hour above $5`. */
export const describeAlert = (rule: AlertRule): string => `${describeMeasure(rule)} ${describeLimit(rule)}`;

/** `+20%`. */
export const formatChange = (change: number | null): string =>
  change === null ? NONE : `${change > 0 ? '+' : ''}${Number(change.toFixed(1))}%`;

const SOURCES: Readonly<Record<AlertEvaluation['source'], string>> = {
  rollups: 'sums that are kept',
  spans: 'the spans of the window',
  scores: 'the scores of the window',
  scoring_rules: 'the scoring rules',
};

/** An evaluation in words: what was found, and what came of it. */
export function explainEvaluation(alert: AlertResource, evaluation: AlertEvaluation): string {
  const { decision, reason, groups, group_count: count, source } = evaluation;
  if (decision === null) return `It could not be evaluated, so that its state stayed: ${reason}.`;
  const from = ` Read from ${SOURCES[source]}.`;
  const [first] = groups;
  const holding = groups.filter(({ holds }) => holds).length;
  if (first === undefined) return alert.enabled ? `There is nothing to measure.${from}` : 'The alert is off.';
  const limit = describeLimit(alert);
  const waits = holding > 0 && decision === 'ok' && alert.for !== null;
  const rest = `${waits ? ` It fires once that has held for ${describeLength(alert.for!)}.` : ''}${from}`;
  if (alert.group_by !== 'none') return `${count} measured by ${alert.group_by}, ${holding} ${limit}.${rest}`;
  const measured = `${describeMeasure(alert)}: ${MEASURES[alert.measure].format(first.value)}`;
  if (first.holds === null) return `${measured}. That is not enough to judge by.${from}`;
  const change = 'op' in alert.condition ? '' : ` (${formatChange(first.change_percent)})`;
  return `${measured}${change}, ${first.holds ? '' : 'not '}${limit}.${rest}`;
}
