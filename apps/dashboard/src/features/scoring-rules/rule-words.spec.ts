import { describe, expect, it } from '@jest/globals';
import type { BackfillAnswer, ScoringExplanation, ScoringRuleResource } from '@spandrel/contract';
import {
  describeBackfill,
  describeDecision,
  describeDryRun,
  describeRuleFilters,
  describeSpent,
  describeTrigger,
  describeWaiting,
} from './rule-words.js';

const RULE = {
  ...{ target: 'span', trigger: 'ended', enabled: true, quiet_ms: 0, sample_rate: 0.1, spent_today: 0.2 },
  ...{ filters: { exclude_tag: ['eval'] }, on_score: null, judge: { model: 'mystery' }, max_cost_usd_per_day: null },
} as unknown as ScoringRuleResource;
const AT = '2026-11-27T10:00:00.000Z';

const decide = (explanation: Partial<ScoringExplanation>, rule: Partial<ScoringRuleResource> = {}): string =>
  describeDecision(
    {
      ...{ decision: 'scored', failed_filter: null, hash: '195df21eee20dac3', sample_rate: 0.05, since: AT },
      ...{ attempts: [], next_try_at: null, score_id: null },
      ...explanation,
    },
    { ...RULE, ...rule },
    'utc',
  );

describe('a scoring rule in words', () => {
  it('says what it judges, and when', () => {
    expect(describeTrigger(RULE)).toBe('Spans, as they end');
    expect(describeTrigger({ ...RULE, target: 'trace', quiet_ms: 30_000 })).toBe('Traces, quiet for 30 s');
    const on_score = { name: 'thumb', source: 'end_user', value: 0 } as const;
    expect(describeTrigger({ ...RULE, trigger: 'score', on_score })).toBe('Spans scored thumb 0 by end user');
  });

  it('says its filters, and the tags that it leaves out where these are not the usual ones', () => {
    expect(describeRuleFilters(RULE)).toBe('All spans');
    const filters = { kind: 'llm_call', exclude_tag: ['internal'] };
    expect(describeRuleFilters({ ...RULE, filters })).toBe('Kind LLM call, without tag internal');
  });

  it('says what it spent and what waits', () => {
    expect(describeSpent(RULE)).toBe('$0.20');
    expect(describeSpent({ ...RULE, max_cost_usd_per_day: 2 })).toBe('$0.20 of $2.00');
    const state = { pending: 12, oldest_pending_s: 185, lag_s: 61 } as ScoringRuleResource['state'];
    expect(describeWaiting(state)).toBe('12, the oldest for 3 min 5 s, 1 min 1 s behind');
    expect(describeWaiting({ ...state, lag_s: 0.2 })).toBe('12, the oldest for 3 min 5 s');
    expect(describeWaiting({ ...state, pending: 0, oldest_pending_s: null })).toBe('0');
  });
});

describe('a decision in words', () => {
  it.each<[Partial<ScoringExplanation>, Partial<ScoringRuleResource>, RegExp]>([
    [{ decision: 'scored' }, {}, /^The rule scored it\.$/],
    [{ decision: 'pending' }, {}, /being judged now/],
    [{ decision: 'pending', next_try_at: AT }, {}, /the next attempt is at 2026-11-27 10:00:00\.$/],
    [{ decision: 'not_ended' }, {}, /^It has not ended yet\.$/],
    [{ decision: 'not_ended' }, { target: 'session', quiet_ms: 1_800_000 }, /not been quiet for 30 min yet/],
    [{ decision: 'filtered', failed_filter: 'min_cost' }, { filters: { min_cost: 0.02 } }, /: Cost ≥ \$0\.02\.$/],
    [{ decision: 'filtered', failed_filter: 'exclude_tag' }, {}, /a tag that the rule leaves out: eval\.$/],
    [{ decision: 'filtered', failed_filter: 'on_score' }, { on_score: { name: 'thumb' } }, /for a score thumb, which/],
    [{ decision: 'sampled_out' }, {}, /a hash below 5%, and its hash, 195df21eee20dac3, stands at 9\.90897%\.$/],
    [{ decision: 'budget' }, { max_cost_usd_per_day: 2 }, /used up, so that it was skipped: \$2\.00 a day/],
    [{ decision: 'budget' }, {}, /used up, so that it was skipped\.$/],
    [{ decision: 'overload' }, {}, /waited for 24 hours/],
    [{ decision: 'unpriced' }, {}, /The model mystery has no price/],
    [{ decision: 'disabled' }, { enabled: false }, /^The rule is off\.$/],
    [{ decision: 'disabled' }, {}, /ended before 2026-11-27 10:00:00.* A backfill/],
    [{ decision: 'failed' }, {}, /^All attempts failed\.$/],
  ])('says why: %j', (explanation, rule, words) => expect(decide(explanation, rule)).toMatch(words));
});

describe('a backfill in words', () => {
  const backfill: BackfillAnswer = {
    ...{ status: 'dry_run', since: null, until: AT, max: 1_000, max_cost_usd: null, matched: 2_000, sampled: 812 },
    ...{ spent_usd: 0.2, started_at: AT, estimated_cost_usd: 1.2 },
  };

  it('says how far it is', () => {
    const running = { ...backfill, status: 'running' } as const;
    expect(describeBackfill(running)).toBe('Running: 812 of at most 1,000 taken, $0.20 spent');
    expect(describeBackfill({ ...running, status: 'stopped', max_cost_usd: 0.25 })).toBe(
      'Stopped, since its money is spent: 812 of at most 1,000 taken, $0.20 of $0.25 spent',
    );
  });

  it('says before it begins how many there are, and what that costs at most', () => {
    expect(describeDryRun(backfill)).toBe(
      '2,000 match; 812 would be judged. It costs $1.20 at most, if each judgement costs what the dearest did so far.',
    );
    expect(describeDryRun({ ...backfill, max_cost_usd: 1 })).toMatch(/It costs \$1\.00 at most/);
    expect(describeDryRun({ ...backfill, estimated_cost_usd: null })).toMatch(/is not known before/);
    expect(describeDryRun({ ...backfill, estimated_cost_usd: null, max_cost_usd: 1 })).toMatch(
      /costs \$1\.00 at most\.$/,
    );
    expect(describeDryRun({ ...backfill, sampled: 0 })).toBe('2,000 match, and none of them is left to judge.');
  });
});
