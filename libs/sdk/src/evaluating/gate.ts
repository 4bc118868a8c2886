import type { EvalGate } from '../api/schema.js';

/** Something in an eval's definition, or in the text of a gate, is wrong. Nothing was sent, or nothing was started. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

/** @returns ` (pass_rate?)` for the known name that is nearest to a misspelt one; empty where none is near. */
export function nearest(misspelt: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: editDistance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .reduce<{ name: string; distance: number } | undefined>(
      (best, each) => (best && best.distance <= each.distance ? best : each),
      undefined,
    );
  return near ? ` (${near.name}?)` : '';
}

/** How many letters must be added, taken away, changed, or changed with the next one to make one text the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let before: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(changed, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** How the number of a metric is counted, and so what a gate on it may ask for. */
type Range = 'share' | 'difference' | 'amount';

/** What gates may look at, as the API knows it (docs/spec/eval-gates.md). */
export const METRICS = {
  mean: 'share',
  mean_ci_low: 'share',
  pass_rate: 'share',
  pass_rate_ci_low: 'share',
  pass_at_k: 'share',
  pass_hat_k: 'share',
  min_datapoint_pass_rate: 'share',
  never_passed: 'amount',
  flaky_datapoints: 'amount',
  failed_samples: 'amount',
  failed_rate: 'share',
  latency_p50: 'amount',
  latency_p95: 'amount',
  total_cost: 'amount',
  mean_cost: 'amount',
  diff: 'difference',
  diff_ci_low: 'difference',
  worse: 'amount',
  regression: 'difference',
  new_failures: 'difference',
} as const satisfies Record<EvalGate['metric'], Range>;

export type GateMetric = keyof typeof METRICS;
export type GateOp = NonNullable<EvalGate['op']>;

type GateMembers = { [Member in keyof EvalGate]?: NonNullable<EvalGate[Member]> };

/** A gate as `POST /api/eval/:run_id/gates` and the start of a run take it. */
export interface Gate extends GateMembers {
  metric: GateMetric;
  /** Looks at the datapoints alone that have this value in their metadata; the key is the one that has it when left out. */
  group?: { key?: string | null; value: string | number | boolean | null };
}

/** A gate as it was given, or as a run shows it: members that do not go with the metric may be `null`. */
export type AnyGate = { [Member in keyof Gate]: Gate[Member] | null } & { metric: GateMetric };

const COMPARING: ReadonlySet<GateMetric> = new Set([
  ...(['diff', 'diff_ci_low', 'worse', 'regression', 'new_failures'] as const),
]);
const TRIES: ReadonlySet<GateMetric> = new Set(['pass_at_k', 'pass_hat_k']);

/** Whether a gate compares its run with a baseline, and so needs one. */
export const needsBaseline = ({ metric }: Pick<Gate, 'metric'>): boolean => COMPARING.has(metric);

export const takesTries = (metric: GateMetric): boolean => TRIES.has(metric);

/** @returns a gate in the words that `parseGate` reads, such as `short.pass_hat_k@3 >= 0.8` or `no regression`. */
export function describeGate({ metric, scorer, k, op, value, group, by }: AnyGate): string {
  const name = `${group ? `${describeGroup(group)}.` : ''}${scorer ? `${scorer}.` : ''}${metric}`;
  const each = by ? ` by ${quoted(by)}` : '';
  if (metric === 'regression') return `no ${name}${each}`;
  return `${name}${takesTries(metric) ? `@${k ?? 1}` : ''} ${op} ${value}${each}`;
}

function describeGroup({ key, value }: NonNullable<Gate['group']>): string {
  const text = value === null ? 'null' : value === 'null' ? '"null"' : quoted(String(value));
  // A name alone would be taken for a scorer's.
  return key ? `${quoted(key)}:${text}` : value === null ? text : JSON.stringify(String(value));
}

const quoted = (text: string): string => (/^[\w-]+$/.test(text) ? text : JSON.stringify(text));

/** What the texts of gates leave open. */
export interface GateContext {
  /** The run that gates like `no regression` compare with. They stay without one when it is left out. */
  baselineRunId?: string | undefined;
}

/** The most tries of a datapoint that a run makes. */
const TRIES_MAX = 100;

const FORM =
  '"[group.][scorer.]metric[@k] >=|>|<=|< number[%]" or "no [group.][scorer.]regression", and " by key" for each group';
const OPS: readonly string[] = ['>=', '>', '<=', '<'];
const NAMES = Object.keys(METRICS) as GateMetric[];
const SCORER = /^[A-Za-z0-9_.-]{1,64}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Reads a gate as people write it: `mean >= 0.9`, `short.pass_hat_k@3 >= 80%`, `no regression`, `no short.regression`.
 *
 * @returns the gate as the API takes it.
 * @throws DefinitionError with the gate and the part of it that is wrong.
 */
export function parseGate(text: string, { baselineRunId }: GateContext = {}): Gate {
  const written = text.trim();
  const refuse = (why: string): never => {
    throw new DefinitionError(`gate "${written}": ${why}`);
  };
  const divided = BY.exec(written);
  const whole = divided ? written.slice(0, divided.index) : written;
  const without = /^no\s+(.*)$/s.exec(whole);
  const gate = {
    ...(without ? parseAbsence(without[1]!.trim(), refuse) : parseCondition(whole, refuse)),
    ...(divided && { by: unquoted(divided[1]!, refuse) }),
  };
  if (gate.by !== undefined && gate.group) return refuse('one group is not looked at by groups');
  return needsBaseline(gate) && baselineRunId !== undefined ? { ...gate, baseline_run_id: baselineRunId } : gate;
}

/** The member of the metadata behind a gate that each group is to meet. */
const BY = /\sby\s("(?:[^"\\]|\\.)*"|[^\s"<>=]+)$/;
/** A group before a metric: `category:legal.`, `category:"human resources".` or `"human resources".`. */
const GROUP = /^(?:("(?:[^"\\]|\\.)*"|[^\s":]+):("(?:[^"\\]|\\.)*"|[^"\s.:@]+)|("(?:[^"\\]|\\.)*"))\.(.*)$/s;

function unquoted(text: string, refuse: Refuse): string {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return refuse(`${text} is no text in quotes, as JSON has it`);
  }
}

type Refuse = (why: string) => never;

function parseAbsence(what: string, refuse: Refuse): Gate {
  const { metric, k, ...of } = parseName(what, refuse);
  if (metric !== 'regression') return refuse(`"no" goes with regression alone; the form is ${FORM}`);
  if (k !== undefined) return refuse(`"@${k}" goes with pass_at_k and pass_hat_k alone`);
  return { metric, ...of };
}

function parseCondition(text: string, refuse: Refuse): Gate {
  const parts = /^((?:"(?:[^"\\]|\\.)*"|[^"<>=!≥≤])*)([<>=!≥≤]+)(.*)$/s.exec(text);
  if (!parts) {
    if (text === '') return refuse(`is empty; the form is ${FORM}`);
    if (text.split('"').length % 2 === 0) return refuse('a quote is not closed');
    const { metric } = parseName(text, refuse);
    if (metric === 'regression') return refuse(`is written "no ${text}"`);
    return refuse(`the condition is missing, as in "${text} >= 0.9"`);
  }
  const [, left = '', op = '', right = ''] = parts;
  const { metric, k, ...of } = parseName(left.trim(), refuse);
  if (metric === 'regression') return refuse('regression takes no number; it is written "no regression"');
  if (!OPS.includes(op)) return refuse(`"${op}" is no comparison; there are ${OPS.join(', ')}`);
  if (k !== undefined && !takesTries(metric)) return refuse(`"@${k}" goes with pass_at_k and pass_hat_k alone`);
  const value = parseNumber(right.trim(), metric, refuse);
  return { metric, ...of, ...(k !== undefined && { k }), op: op as GateOp, value };
}

/** `[group.][scorer.]metric[@k]`: names of scorers may have dots themselves, those of metrics have none. */
function parseName(
  text: string,
  refuse: Refuse,
): Pick<Gate, 'metric' | 'scorer' | 'group'> & { k: number | undefined } {
  const [, key, ofKey, alone, rest] = GROUP.exec(text) ?? [];
  if (rest !== undefined) {
    const value = ofKey === 'null' ? null : unquoted(ofKey ?? alone!, refuse);
    return { ...parseName(rest, refuse), group: { ...(key && { key: unquoted(key, refuse) }), value } };
  }
  const [name = '', tries, ...more] = text.split('@');
  if (name.trim() === '') return refuse(`the metric is missing; the form is ${FORM}`);
  const dot = name.lastIndexOf('.');
  const metric = name.slice(dot + 1).trim();
  if (!isMetric(metric)) {
    return refuse(`"${metric}" is no metric${nearest(metric, NAMES)}; there are ${NAMES.join(', ')}`);
  }
  const k = tries?.trim();
  if (k !== undefined && (more.length > 0 || !/^\d{1,4}$/.test(k) || Number(k) < 1 || Number(k) > TRIES_MAX)) {
    return refuse(`"@${[k, ...more].join('@')}" must be @ and a whole number from 1 to ${TRIES_MAX}`);
  }
  const number = k === undefined ? undefined : Number(k);
  if (dot < 0) return { metric, k: number };
  const scorer = name.slice(0, dot).trim();
  if (!SCORER.test(scorer)) {
    return refuse(
      `"${scorer}" is no name of a scorer: 1 to 64 characters of A-Z, a-z, 0-9, "_", "." and "-"; a group is written in quotes`,
    );
  }
  return { metric, scorer, k: number };
}

const isMetric = (name: string): name is GateMetric => Object.hasOwn(METRICS, name);

function parseNumber(text: string, metric: GateMetric, refuse: Refuse): number {
  const isPercent = text.endsWith('%');
  const digits = isPercent ? text.slice(0, -1).trim() : text;
  if (digits === '') return refuse('the number behind the comparison is missing');
  const value = Number(isPercent ? hundredth(digits) : digits);
  if (!NUMBER.test(digits) || !Number.isFinite(value)) {
    return refuse(`"${text}" is no number, such as 0.9 or 90%`);
  }
  const range = METRICS[metric];
  if (range === 'amount') {
    return isPercent ? refuse(`"${text}": ${metric} is no share${SHARES[metric] ?? ''}`) : value;
  }
  const least = range === 'share' ? 0 : -1;
  if (value < least || value > 1) {
    const meant = !isPercent && Math.abs(value) <= 100 ? `; write ${digits}% for a percentage` : '';
    return refuse(`${text} is out of range: ${metric} is from ${least} to 1${meant}`);
  }
  return value;
}

/** The digits of a hundredth, which as a number is the nearest to it: 7% is 0.07 and not 7 / 100 with an error. */
function hundredth(digits: string): string {
  const [mantissa, exponent = '0'] = digits.toLowerCase().split('e');
  return `${mantissa}e${Number(exponent) - 2}`;
}

/** What somebody who wants a share of a metric should write. */
const SHARES: Partial<Record<GateMetric, string>> = {
  failed_samples: '; failed_rate is',
  never_passed: ' but a number of datapoints',
  flaky_datapoints: ' but a number of datapoints',
  worse: ' but a number of datapoints',
};
