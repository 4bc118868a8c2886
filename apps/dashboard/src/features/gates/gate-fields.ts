import type { Gate, GateMetric, JudgedGate } from '@spandrel/contract';
import { METRICS } from './gate-words.js';

/** What the fields of a gate hold. Numbers are texts, since they may be half written. */
export interface GateFields {
  metric: GateMetric;
  /** `''` for all scorers together. */
  scorer: string;
  k: string;
  op: NonNullable<Gate['op']>;
  value: string;
  baseline: string;
}

export const NEW_GATE: GateFields = { metric: 'pass_rate', scorer: '', k: '1', op: '>=', value: '', baseline: '' };

/** The fields of a gate that a run has. */
export function fieldsOfGate({ metric, scorer, k, op, value, baseline_run_id: baseline }: JudgedGate): GateFields {
  return {
    metric,
    scorer: scorer ?? '',
    k: String(k ?? 1),
    op: op ?? METRICS[metric].op,
    value: value === null ? '' : String(value),
    baseline: baseline ?? '',
  };
}

/** With another metric a gate compares as that one usually is compared. */
export const withMetric = (fields: GateFields, metric: GateMetric): GateFields => ({
  ...fields,
  metric,
  op: METRICS[metric].op,
});

/** What the API is told: the members that the metric has. */
export function gateOf({ metric, scorer, k, op, value, baseline }: GateFields): Gate {
  const { hasK, needsBaseline, isOfScore, unit } = METRICS[metric];
  return {
    metric,
    ...(isOfScore && scorer !== '' && { scorer }),
    ...(hasK === true && k !== '' && { k: Number(k) }),
    ...(unit !== 'verdict' && { op, ...(value !== '' && { value: Number(value) }) }),
    ...(needsBaseline === true && baseline !== '' && { baseline_run_id: baseline }),
  };
}
