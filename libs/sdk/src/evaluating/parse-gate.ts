import { DefinitionError, nearest } from './definition-error.js';
import { METRICS, needsBaseline, takesTries, type Gate, type GateMetric, type GateOp } from './gate.js';

/** What the texts of gates leave open. */
export interface GateContext {
  /** The run that gates like `no regression` compare with. They stay without one when it is left out. */
  baselineRunId?: string | undefined;
}

/** The most tries of a datapoint that a run makes. */
const TRIES_MAX = 100;

const FORM = '"[scorer.]metric[@k] >=|>|<=|< number[%]" or "no regression"';
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
  const without = /^no\s+(.*)$/s.exec(written);
  const gate = without ? parseAbsence(without[1]!.trim(), refuse) : parseCondition(written, refuse);
  return needsBaseline(gate) && baselineRunId !== undefined ? { ...gate, baseline_run_id: baselineRunId } : gate;
}

type Refuse = (why: string) => never;

/** `regression`, behind its `no`. */
function parseAbsence(what: string, refuse: Refuse): Gate {
  const { scorer, metric, k } = parseName(what, refuse);
  if (metric !== 'regression') return refuse(`"no" goes with regression alone; the form is ${FORM}`);
  if (k !== undefined) return refuse(`"@${k}" goes with pass_at_k and pass_hat_k alone`);
  return { metric, ...scorer };
}

function parseCondition(text: string, refuse: Refuse): Gate {
  const parts = /^([^<>=!≥≤]*)([<>=!≥≤]+)(.*)$/s.exec(text);
  if (!parts) {
    if (text === '') return refuse(`is empty; the form is ${FORM}`);
    const { metric, scorer } = parseName(text, refuse);
    if (metric === 'regression') return refuse(`is written "no ${scorer ? `${scorer.scorer}.` : ''}regression"`);
    return refuse(`the condition is missing, as in "${text} >= 0.9"`);
  }
  const [, left = '', op = '', right = ''] = parts;
  const { metric, scorer, k } = parseName(left.trim(), refuse);
  if (metric === 'regression') return refuse('regression takes no number; it is written "no regression"');
  if (!OPS.includes(op)) return refuse(`"${op}" is no comparison; there are ${OPS.join(', ')}`);
  if (k !== undefined && !takesTries(metric)) return refuse(`"@${k}" goes with pass_at_k and pass_hat_k alone`);
  const value = parseNumber(right.trim(), metric, refuse);
  return { metric, ...scorer, ...(k !== undefined && { k }), op: op as GateOp, value };
}

/** `[scorer.]metric[@k]`: names of scorers may have dots themselves, those of metrics have none. */
function parseName(
  text: string,
  refuse: Refuse,
): { metric: GateMetric; scorer?: { scorer: string }; k: number | undefined } {
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
    return refuse(`"${scorer}" is no name of a scorer: 1 to 64 characters of A-Z, a-z, 0-9, "_", "." and "-"`);
  }
  return { metric, scorer: { scorer }, k: number };
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
