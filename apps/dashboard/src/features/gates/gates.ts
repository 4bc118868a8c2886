import type { ScoreComparison, Gate, GateMetric, JudgedGate } from '@spandrel/contract';
import { formatCount, formatMetadataValue, formatScore, NONE } from '@spandrel/contract/browser';
import { formatCost, formatDuration } from '../../components/format.js';
import { wordsOfScorer } from '../scorer-words.js';

export const VERDICT_WORDS: Readonly<Record<ScoreComparison['verdict'], string>> = {
  better: 'Better',
  worse: 'Worse',
  no_difference: 'No difference shown',
  unknown: 'Not known',
};

type Unit = 'score' | 'count' | 'ms' | 'usd' | 'verdict';

interface MetricFacts {
  words: string;
  unit: Unit;
  /** How a gate usually compares it. */
  op: Exclude<Gate['op'], null | undefined>;
  hasK?: boolean;
  needsBaseline?: boolean;
  /** Whether it is of the scores, of all scorers together or of one. */
  isOfScore: boolean;
}

/** What gates can look at, in the order in which they are offered. */
export const METRICS: Readonly<Record<GateMetric, MetricFacts>> = {
  mean: { words: 'Mean score', unit: 'score', op: '>=', isOfScore: true },
  mean_ci_low: { words: 'Mean score, lower bound', unit: 'score', op: '>=', isOfScore: true },
  pass_rate: { words: 'Pass rate', unit: 'score', op: '>=', isOfScore: true },
  pass_rate_ci_low: { words: 'Pass rate, lower bound', unit: 'score', op: '>=', isOfScore: true },
  pass_at_k: { words: 'pass@k', unit: 'score', op: '>=', hasK: true, isOfScore: true },
  pass_hat_k: { words: 'pass^k', unit: 'score', op: '>=', hasK: true, isOfScore: true },
  min_datapoint_pass_rate: { words: 'Lowest pass rate of a datapoint', unit: 'score', op: '>=', isOfScore: true },
  never_passed: { words: 'Datapoints that never pass', unit: 'count', op: '<=', isOfScore: true },
  flaky_datapoints: { words: 'Flaky datapoints', unit: 'count', op: '<=', isOfScore: true },
  failed_samples: { words: 'Failed samples', unit: 'count', op: '<=', isOfScore: false },
  failed_rate: { words: 'Share of failed samples', unit: 'score', op: '<=', isOfScore: false },
  latency_p50: { words: 'Latency, median', unit: 'ms', op: '<=', isOfScore: false },
  latency_p95: { words: 'Latency, 95th percentile', unit: 'ms', op: '<=', isOfScore: false },
  total_cost: { words: 'Total cost', unit: 'usd', op: '<=', isOfScore: false },
  mean_cost: { words: 'Cost of a sample', unit: 'usd', op: '<=', isOfScore: false },
  diff: { words: 'Difference', unit: 'score', op: '>=', needsBaseline: true, isOfScore: true },
  diff_ci_low: { words: 'Difference, lower bound', unit: 'score', op: '>=', needsBaseline: true, isOfScore: true },
  worse: { words: 'Datapoints that became worse', unit: 'count', op: '<=', needsBaseline: true, isOfScore: true },
  regression: { words: 'Not worse', unit: 'verdict', op: '>=', needsBaseline: true, isOfScore: true },
  new_failures: { words: 'Rise of failed samples', unit: 'score', op: '<=', needsBaseline: true, isOfScore: false },
};

const UNITS: Readonly<Record<Exclude<Unit, 'verdict'>, (value: number) => string>> = {
  score: formatScore,
  count: formatCount,
  ms: formatDuration,
  usd: formatCost,
};

const OPS = { '>=': '≥', '>': '>', '<=': '≤', '<': '<' } as const;

/** A gate in words: `Pass rate of exact ≥ 0.9`, `Not worse than first`. @param nameOf name of a run by its id. */
export function describeGate(gate: JudgedGate, nameOf: (runId: string) => string): string {
  const { words, unit } = METRICS[gate.metric];
  const metric = gate.k === null ? words : words.replace('k', String(gate.k));
  const names = [
    ...(gate.group ? [`${gate.group.key} ${formatMetadataValue(gate.group.value)}`] : []),
    ...(gate.scorer === null ? [] : [wordsOfScorer(gate.scorer)]),
  ];
  const each = gate.by === undefined ? '' : ` for each ${gate.by}`;
  const what = `${metric}${names.map((name) => ` of ${name}`).join('')}${each}`;
  const baseline = gate.baseline_run_id === null ? '' : nameOf(gate.baseline_run_id);
  if (unit === 'verdict' || gate.op === null || gate.value === null) return `${what} than ${baseline}`;
  const beside = baseline === '' ? '' : ` against ${baseline}`;
  return `${what}${beside} ${OPS[gate.op]} ${UNITS[unit](gate.value)}`;
}

/** What was found, in the words of its metric. */
export function describeActual({ failing = [], ...gate }: Pick<JudgedGate, 'metric' | 'actual' | 'failing'>): string {
  const groups = failing.map(({ value }) => formatMetadataValue(value)).join(', ');
  return groups === '' ? describeFound(gate) : `${describeFound(gate)} (${groups})`;
}

function describeFound({ metric, actual }: Pick<JudgedGate, 'metric' | 'actual'>): string {
  const { unit } = METRICS[metric];
  if (actual === null) return NONE;
  if (typeof actual === 'string' || unit === 'verdict')
    return VERDICT_WORDS[actual as keyof typeof VERDICT_WORDS] ?? String(actual);
  return UNITS[unit](actual);
}

/** `2 of 3 hold`; `null` for a run without gates. */
export function describeGates(gates: readonly Pick<JudgedGate, 'passed'>[]): string | null {
  if (gates.length === 0) return null;
  if (gates.every(({ passed }) => passed === null)) return 'Not judged yet';
  const held = gates.filter(({ passed }) => passed === true).length;
  return held === gates.length ? 'All hold' : `${formatCount(held)} of ${formatCount(gates.length)} hold`;
}

/** What the fields of a gate hold. Numbers are texts, since they may be half written. */
export interface GateFields {
  metric: GateMetric;
  /** `''` for all scorers together. */
  scorer: string;
  k: string;
  op: NonNullable<Gate['op']>;
  value: string;
  baseline: string;
  /** `category:legal` for one group of datapoints, `by category` for each; `''` for all datapoints. */
  group: string;
  /** By how much the share of failed samples may rise. */
  newFailures: string;
  /** What is kept of a gate beside its fields, with whether runs that were scored differently are compared. */
  rules?: Pick<Gate, 'cluster_by' | 'allow_different_scoring'>;
}

export const NEW_GATE: GateFields = {
  ...{ metric: 'pass_rate', scorer: '', k: '1', op: '>=', value: '', baseline: '', group: '', newFailures: '' },
};

/** The fields of a gate that a run has. */
export function fieldsOfGate(gate: JudgedGate): GateFields {
  const { metric, scorer, k, op, value, baseline_run_id: baseline, group, by, max_new_failures: rise } = gate;
  const { cluster_by, allow_different_scoring } = gate;
  return {
    metric,
    scorer: scorer ?? '',
    k: String(k ?? 1),
    op: op ?? METRICS[metric].op,
    value: value === null ? '' : String(value),
    baseline: baseline ?? '',
    group: by ? `by ${by}` : group ? `${group.key}:${group.value}` : '',
    newFailures: String(rise ?? ''),
    rules: {
      ...(cluster_by !== undefined && { cluster_by }),
      ...(allow_different_scoring && { allow_different_scoring }),
    },
  };
}

/** The groups that such a text names; a text without a colon is a value, whose key the datapoints say. */
function divisionOf(text: string): Pick<Gate, 'group' | 'by'> {
  const by = /^by\s+(\S.*)$/i.exec(text.trim())?.[1];
  if (by !== undefined || text.trim() === '') return by === undefined ? {} : { by };
  const [, key, value] = /^(?:([^:]*):)?(.*)$/s.exec(text.trim())!;
  return { group: { ...(key && { key: key.trim() }), value: value!.trim() === 'null' ? null : value!.trim() } };
}

/** With another metric a gate compares as that one usually is compared. */
export const withMetric = (fields: GateFields, metric: GateMetric): GateFields => ({
  ...fields,
  metric,
  op: METRICS[metric].op,
});

/** What is sent to the API: the members that the metric has. */
export function gateOf({ metric, scorer, k, op, value, baseline, group, newFailures, rules }: GateFields): Gate {
  const { hasK, needsBaseline, isOfScore, unit } = METRICS[metric];
  return {
    ...{ metric, ...rules, ...(unit !== 'usd' && divisionOf(group)) },
    ...(metric === 'regression' && newFailures !== '' && { max_new_failures: Number(newFailures) }),
    ...(isOfScore && scorer !== '' && { scorer }),
    ...(hasK === true && k !== '' && { k: Number(k) }),
    ...(unit !== 'verdict' && { op, ...(value !== '' && { value: Number(value) }) }),
    ...(needsBaseline === true && baseline !== '' && { baseline_run_id: baseline }),
  };
}
