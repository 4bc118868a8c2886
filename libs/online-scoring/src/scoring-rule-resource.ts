import {
  fromColumns,
  exportedScoringRuleSchema,
  EXCLUDED_TAGS,
  formatTimestamp,
  isInSample,
  sampleHash,
  type OnScore,
  type ScoringBackfill,
  type ScoringFilters,
  type ScoringRuleResource,
  type ScoringState,
  type ScoringTarget,
} from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import type { ScoringHourRow, ScoringRuleRow } from './scoring-rule.entity.js';

/** A backfill as its rule keeps it: times in ms, and how far it has come. */
export interface Backfill extends Omit<ScoringBackfill, 'since' | 'until' | 'started_at'> {
  since: number | null;
  until: number;
  started_at: number;
  /** The span that was looked at last; the newest come first. */
  cursor: { startedAt: number; id: string } | null;
}

/** The filters of a rule, with the tags that it passes over. */
export const readFilters = (
  rule: Pick<ScoringRuleRow, 'filters'>,
): ScoringFilters & { exclude_tag: readonly string[] } => {
  const filters = fromJsonText(rule.filters) as ScoringFilters;
  return { ...filters, exclude_tag: filters.exclude_tag ?? [...EXCLUDED_TAGS] };
};

export const readBackfill = ({ backfill }: ScoringRuleRow): Backfill | null =>
  backfill === null ? null : (fromJsonText(backfill) as Backfill);

export const readOnScore = ({ onScore }: ScoringRuleRow): OnScore | null => fromJsonText(onScore) as OnScore | null;

export const cohortOf = ({ cohort, projectId }: ScoringRuleRow): string => cohort ?? projectId;

/** Whether the sample of a rule has a trace, or a session. */
export const isSampled = (rule: ScoringRuleRow, id: string): boolean =>
  rule.sampleRate >= 1 || isInSample(sampleHash(cohortOf(rule), id), rule.sampleRate);

/** The id of a rule's score of a target, the same however often it is judged. */
export const scoreIdOf = (ruleId: string, targetId: string): string => `rule:${ruleId}:${targetId}`;

/** A rule as an export has it. */
export const exportedRule = (rule: ScoringRuleRow) =>
  fromColumns(exportedScoringRuleSchema, rule, {
    enabled: rule.enabled === 1,
    target: rule.target as ScoringTarget,
    filters: readFilters(rule) as ScoringFilters,
    trigger: rule.trigger as ScoringRuleResource['trigger'],
    on_score: readOnScore(rule),
    scoring_config: rule.scoringConfig === null ? null : objectFromJsonText(rule.scoringConfig),
    judge: fromJsonText(rule.judge) as ScoringRuleResource['judge'],
    max_cost_usd_per_day: rule.dailyCap,
  });

/** A backfill as the wire shows it. */
export const backfillResource = ({ cursor: _cursor, ...backfill }: Backfill): ScoringBackfill => ({
  ...backfill,
  since: backfill.since === null ? null : formatTimestamp(backfill.since),
  until: formatTimestamp(backfill.until),
  started_at: formatTimestamp(backfill.started_at),
});

interface Waiting {
  count: number;
  notedAt: number | null;
  dueAt: number | null;
}

/**
 * What a rule did within 24 hours.
 * @param hours of the rule, oldest first. @param now in ms.
 */
export function scoringState(
  hours: readonly ScoringHourRow[],
  waiting: Waiting | undefined,
  now: number,
): ScoringState {
  const shown = hours.map(({ hour, matched, sampled, scored, failed, budget, overload }) => ({
    timestamp: formatTimestamp(hour),
    ...{ matched, sampled, scored, failed, skipped: { budget, overload } },
  }));
  const sum = (member: 'matched' | 'sampled' | 'scored' | 'failed' | 'budget' | 'overload'): number =>
    hours.reduce((total, row) => total + row[member], 0);
  const ageOf = (at: number | null | undefined): number => Math.max(0, now - (at ?? now)) / 1_000;
  return {
    ...{ matched: sum('matched'), sampled: sum('sampled'), scored: sum('scored'), failed: sum('failed') },
    skipped: { budget: sum('budget'), overload: sum('overload') },
    hours: shown,
    pending: waiting?.count ?? 0,
    oldest_pending_s: waiting ? ageOf(waiting.notedAt) : null,
    lag_s: ageOf(waiting?.dueAt),
  };
}
