import { Injectable } from '@nestjs/common';
import { isKept, TimeSeries } from '@spandrel/analytics';
import {
  ALERT_GROUPS_READ_MAX,
  isScoreMeasure,
  type AlertEvaluation,
  type AlertMeasure,
  type AlertRule,
  type BucketSums,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { ScoreMeasures, ScoringRulesPort } from '@spandrel/scores';
import type { Reading } from './decide-state.js';

interface Range {
  from: number;
  until: number;
}

const ofCalls: ReadonlySet<AlertMeasure> = new Set(['calls', 'error_rate', 'latency_p95']);

/** Measures what alerts are about, exactly (docs/spec/alerts.md#measures). */
@Injectable()
export class ReadMeasure {
  constructor(
    private readonly series: TimeSeries,
    private readonly scores: ScoreMeasures,
    private readonly scoringRules: ScoringRulesPort,
  ) {}

  /**
   * @param range in milliseconds since the epoch. @returns one reading, or one for each group.
   * @throws DomainError `range_too_large`.
   */
  async read(scope: Scope, rule: AlertRule, range: Range): Promise<Reading[]> {
    if (isScoreMeasure(rule.measure)) return this.readScores(scope, rule, range);
    if (rule.measure === 'scoring_stalled') return this.readRules(scope, range);
    const totals = await this.series.totals(scope, { ...questionOf(rule), range });
    const groups = rule.group_by === 'none' ? [{ key: null, ...totals }] : (totals.series ?? []);
    return groups
      .filter(({ key }) => key !== null || rule.group_by === 'none')
      .map(({ key, ...sums }) => ({ key, ...measureOf(rule.measure, sums) }));
  }

  private async readRules(scope: Scope, { from }: Range): Promise<Reading[]> {
    const counted = await this.scoringRules.countStalled?.(scope, from);
    return [{ key: null, value: counted?.stalled ?? null, count: counted?.rules ?? 0 }];
  }

  private async readScores(scope: Scope, rule: AlertRule, range: Range): Promise<Reading[]> {
    const { filters, group_by: by, measure } = rule;
    const groupBy = by === 'none' ? undefined : by;
    const query = { ...filtersOf(rule), name: filters.score_name!, range, groupBy, groupsMax: ALERT_GROUPS_READ_MAX };
    const rows = await this.scores.read(scope, query);
    const readings = rows.map(({ key, count, mean, passed }) => ({
      ...{ key, count },
      value: measure === 'score_mean' ? mean : passed / count,
    }));
    return readings.length === 0 && by === 'none' ? [{ key: null, value: null, count: 0 }] : readings;
  }
}

/** What is read for an alert: sums that are kept, the spans of the window, its scores, or what rules did. */
export function sourceOf(rule: AlertRule): AlertEvaluation['source'] {
  if (rule.measure === 'scoring_stalled') return 'scoring_rules';
  if (isScoreMeasure(rule.measure)) return 'scores';
  return isKept(questionOf(rule)) ? 'rollups' : 'spans';
}

const filtersOf = ({ filters }: AlertRule) => ({
  model: filters.model ?? undefined,
  trace: {
    userId: filters.user ?? undefined,
    sessionId: filters.session ?? undefined,
    name: filters.name ?? undefined,
    tag: filters.tag ?? undefined,
  },
});

const questionOf = (rule: AlertRule) => ({
  ...filtersOf(rule),
  provider: rule.filters.provider ?? undefined,
  of: ofCalls.has(rule.measure) ? ('llm_calls' as const) : ('spans' as const),
  split: rule.group_by === 'none' ? undefined : { by: [rule.group_by], top: ALERT_GROUPS_READ_MAX },
  percentiles: rule.measure === 'latency_p95',
  rowsMax: ALERT_GROUPS_READ_MAX + 1,
});

function measureOf(measure: AlertMeasure, sums: BucketSums): Omit<Reading, 'key'> {
  const { span_count: count, finished_count: finished } = sums;
  switch (measure) {
    case 'cost':
      return { value: sums.cost ?? 0, count };
    case 'tokens':
      return { value: sums.tokens, count };
    case 'unpriced':
      return { value: sums.unpriced_count, count };
    case 'error_rate':
      return { value: finished === 0 ? null : sums.error_count / finished, count: finished };
    case 'latency_p95':
      return { value: sums.p95_ms ?? null, count: finished };
    default:
      return { value: count, count };
  }
}
