import type { BackfillAnswer, ScoringBackfill, ScoringExplanation, ScoringRuleResource } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatDuration, formatTime, type Zone } from '../../components/format.js';
import { describeFilters, percentOf } from '../span-filters/filter-form.js';

type Rule = ScoringRuleResource;

export const TARGET_WORDS: Readonly<Record<Rule['target'], string>> = {
  ...{ span: 'Spans', trace: 'Traces', session: 'Sessions' },
};

/** What a rule judges, and when: `Traces, quiet for 30 s`; `Spans scored thumb 0 by end user`. */
export function describeTrigger({ target, trigger, on_score: score, quiet_ms: quiet }: Rule): string {
  if (trigger === 'score' && score) return `${TARGET_WORDS[target]} scored ${describeOnScore(score)}`;
  return target === 'span' ? 'Spans, as they end' : `${TARGET_WORDS[target]}, quiet for ${inSeconds(quiet / 1_000)}`;
}

function describeOnScore({ name, source, value, label }: NonNullable<Rule['on_score']>): string {
  const by = source ? `by ${source.replace('_', ' ')}` : null;
  return [name, value, label, by].filter((part) => part !== null && part !== undefined).join(' ');
}

/** The filters of a rule in words; the tags that it leaves out where they are not the usual ones. */
export function describeRuleFilters({ filters: { exclude_tag: excluded, ...filters }, target }: Rule): string {
  const tags = excluded ?? [];
  const words = describeFilters(filters, `All ${TARGET_WORDS[target].toLowerCase()}`);
  return tags.length === 0 || ['eval', 'eval,try'].includes(tags.join())
    ? words
    : `${words}, without tag ${tags.join(', ')}`;
}

/** What waits: `12, the oldest for 3 min, 5 s behind`. */
export function describeWaiting({ pending, oldest_pending_s: oldest, lag_s: lag }: Rule['state']): string {
  if (pending === 0) return '0';
  const since = oldest === null ? '' : `, the oldest for ${inSeconds(oldest)}`;
  return `${formatCount(pending)}${since}${lag < 1 ? '' : `, ${inSeconds(lag)} behind`}`;
}

/** Whole seconds: `30 s`, `3 min 5 s`. */
const inSeconds = (seconds: number): string => formatDuration(Math.round(seconds) * 1_000).replace(/\.0+ s$/, ' s');

/** What is spent today beside what may be: `$0.20 of $2.00`. */
export const describeSpent = ({ spent_today: spent, max_cost_usd_per_day: most }: Rule): string =>
  most === null ? formatCost(spent) : `${formatCost(spent)} of ${formatCost(most)}`;

/** Why a rule scored something or not, in a sentence or two. */
export function describeDecision(explanation: ScoringExplanation, rule: Rule, zone: Zone): string {
  const { decision, failed_filter: filter, hash, sample_rate: rate, since, next_try_at: next } = explanation;
  const at = (time: string): string => formatTime(Date.parse(time), zone);
  switch (decision) {
    case 'scored':
      return 'The rule scored it.';
    case 'pending':
      return next === null ? 'It is being judged now.' : `It waits to be judged; the next attempt is at ${at(next)}.`;
    case 'not_ended':
      return rule.target === 'span'
        ? 'It has not ended yet.'
        : `It is still running, or has not been quiet for ${inSeconds(rule.quiet_ms / 1_000)} yet.`;
    case 'filtered':
      return describeFailedFilter(filter, rule);
    case 'sampled_out':
      return `The sample leaves it out: the rule takes what has a hash below ${percentOf(rate)}%, and its hash, ${hash}, stands at ${placeOf(hash)}%.`;
    case 'budget':
      return `The budget was used up, so that it was skipped${rule.max_cost_usd_per_day === null ? '' : `: ${formatCost(rule.max_cost_usd_per_day)} a day, from midnight UTC`}.`;
    case 'overload':
      return 'It had waited for 24 hours, so that it was skipped.';
    case 'unpriced':
      return `The model ${rule.judge?.model ?? ''} has no price, so that the budget of the rule cannot be kept.`;
    case 'disabled':
      return rule.enabled
        ? `It ended before ${at(since)}, when the rule was made or last changed. A backfill judges what ended before.`
        : 'The rule is off.';
    case 'failed':
      return 'All attempts failed.';
  }
}

function describeFailedFilter(filter: string | null, { filters, on_score: score }: Rule): string {
  if (filter === 'on_score') {
    return `The rule waits for a score${score ? ` ${describeOnScore(score)}` : ''}, which was not given.`;
  }
  if (filter === 'exclude_tag')
    return `It has a tag that the rule leaves out: ${(filters.exclude_tag ?? []).join(', ')}.`;
  const asked = filters[filter as keyof typeof filters];
  return `It does not match the filter of the rule: ${describeFilters({ [filter ?? '']: asked })}.`;
}

/** Where a hash stands between 0 and 100%: its first 53 bits, as the sample takes them (docs/spec/online-scoring.md#the-sample). */
const placeOf = (hash: string): number =>
  percentOf(Number((Number(BigInt(`0x${hash}`) >> 11n) / 2 ** 53).toPrecision(6)));

/** How far a backfill is: `Running: 812 of at most 1,000 taken, $0.20 of $1.00 spent`. */
export function describeBackfill({
  status,
  sampled,
  max,
  spent_usd: spent,
  max_cost_usd: most,
}: ScoringBackfill): string {
  const word = { running: 'Running', completed: 'Completed', stopped: 'Stopped, since its money is spent' }[status];
  const money = most === null ? formatCost(spent) : `${formatCost(spent)} of ${formatCost(most)}`;
  return `${word}: ${formatCount(sampled)} of at most ${formatCount(max)} taken, ${money} spent`;
}

/** What a backfill would do, and cost at most. */
export function describeDryRun({
  matched,
  sampled,
  estimated_cost_usd: cost,
  max_cost_usd: most,
}: BackfillAnswer): string {
  if (sampled === 0) return `${formatCount(matched)} match, and none of them is left to judge.`;
  const words = `${formatCount(matched)} match; ${formatCount(sampled)} would be judged.`;
  const capped = cost !== null && most !== null ? Math.min(cost, most) : (cost ?? most);
  if (capped === null) return `${words} What that costs is not known before the rule has judged something.`;
  return `${words} It costs ${formatCost(capped)} at most${cost === null ? '' : ', if each judgement costs what the dearest did so far'}.`;
}
