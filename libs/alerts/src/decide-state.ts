import {
  ALERT_GROUPS_KEPT_MAX,
  ALERT_GROUPS_READ_MAX,
  durationMs,
  isScoreMeasure,
  type AlertGroup,
  type AlertMeasure,
  type AlertRule,
  type AlertState,
} from '@spandrel/contract';

/** What was measured of a group; `value` is `null` without data. */
export interface Reading {
  key: string | null;
  value: number | null;
  count: number;
}

/** A group that fires, is about to, or did a short while ago. Times are milliseconds since the epoch. */
export interface GroupState {
  key: string | null;
  value: number | null;
  /** Since when the condition holds; `null` where it does not. */
  holdsSince: number | null;
  firingSince: number | null;
  /** Whether its channels know that it fires, and when they were last sent that. */
  isSent: boolean;
  sentAt: number | null;
}

interface StateChange {
  key: string | null;
  from: AlertState;
  to: AlertState;
  value: number | null;
}

export interface Decision {
  state: AlertState;
  lastValue: number | null;
  readings: AlertGroup[];
  groups: GroupState[];
  changes: StateChange[];
  notices: { event: 'firing' | 'resolved'; key: string | null; value: number | null }[];
}

/** Readings in the order of their values, as a condition looks at them; those without data last. */
export function furthestFirst(condition: AlertRule['condition'], readings: readonly AlertGroup[]): AlertGroup[] {
  const sign: number = ('op' in condition ? condition.op : condition.change) === '>' ? 1 : -1;
  return readings.toSorted((a, b) => sign * (b.value ?? -sign * Infinity) - sign * (a.value ?? -sign * Infinity));
}

const NEW_GROUP = { holdsSince: null, firingSince: null, isSent: false, sentAt: null };

/**
 * What an alert makes of what was measured (docs/spec/alerts.md#states).
 * @param compared what a change is compared with. @param now milliseconds since the epoch.
 */
export function decideState(
  rule: AlertRule & { enabled: boolean },
  measured: readonly Reading[],
  compared: readonly Reading[],
  before: { state: AlertState; groups: readonly GroupState[] },
  now: number,
): Decision {
  const earlier = new Map(compared.map(({ key, value }) => [key, value]));
  const all = [...measured, ...goneGroups(rule, measured, compared)];
  const readings = all.map((reading) => judge(rule, reading, earlier.get(reading.key) ?? null));
  const known = new Map(before.groups.map((group) => [group.key, group]));
  const [forMs, cooldownMs] = [rule.for, rule.cooldown].map((wait) => (wait === null ? 0 : durationMs(wait)));
  const furthest = furthestFirst(rule.condition, readings);
  const decision: Decision = {
    ...{ state: 'no_data', lastValue: furthest[0]?.value ?? null, readings: furthest, groups: [], changes: [] },
    notices: [],
  };
  // Known groups come first: one that fires must not resolve because others went further.
  const holding = furthest.filter(({ holds }) => holds);
  const isKnown = ({ key }: AlertGroup): boolean => known.get(key)?.holdsSince != null;
  const kept = [...holding.filter(isKnown), ...holding.filter((one) => !isKnown(one))].slice(0, ALERT_GROUPS_KEPT_MAX);
  const values = new Map(readings.map(({ key, value }) => [key, value]));
  const held = new Set(kept.map(({ key }) => key));
  for (const key of new Set([...held, ...known.keys()])) {
    const group = { ...NEW_GROUP, ...known.get(key), key, value: values.get(key) ?? null };
    const wasFiring = group.firingSince !== null;
    group.holdsSince = held.has(key) ? (group.holdsSince ?? now) : null;
    const fires = group.holdsSince !== null && now - group.holdsSince >= forMs!;
    group.firingSince = fires ? (group.firingSince ?? now) : null;
    if (fires && !group.isSent && now - (group.sentAt ?? -Infinity) >= cooldownMs!) {
      decision.notices.push({ event: 'firing', key, value: group.value });
      [group.isSent, group.sentAt] = [true, now];
    } else if (!fires && group.isSent) {
      decision.notices.push({ event: 'resolved', key, value: group.value });
      group.isSent = false;
    }
    if (rule.group_by !== 'none' && fires !== wasFiring) {
      const [from, to] = fires ? (['ok', 'firing'] as const) : (['firing', 'ok'] as const);
      decision.changes.push({ key, from, to, value: group.value });
    }
    const isCooling = group.sentAt !== null && now - group.sentAt < cooldownMs!;
    if (group.holdsSince !== null || isCooling) decision.groups.push(group);
  }
  decision.state = stateOf(rule, decision);
  if (rule.group_by === 'none' && decision.state !== before.state) {
    decision.changes.push({ key: null, from: before.state, to: decision.state, value: decision.lastValue });
  }
  return decision;
}

/** Whether nothing at all counts as 0: of sums, unless so many are wanted. */
const isSum = (measure: AlertMeasure): boolean =>
  !isScoreMeasure(measure) && measure !== 'error_rate' && measure !== 'latency_p95';

/** Groups that were measured before and are not there any more: they have fallen to 0, unless there are more than are measured. */
function goneGroups({ measure, group_by: by }: AlertRule, measured: readonly Reading[], compared: readonly Reading[]) {
  if (by === 'none' || !isSum(measure) || measured.length >= ALERT_GROUPS_READ_MAX) return [];
  const there = new Set(measured.map(({ key }) => key));
  return compared.flatMap(({ key }) => (there.has(key) ? [] : { key, value: 0, count: 0 }));
}

function stateOf(rule: AlertRule & { enabled: boolean }, { groups, readings }: Decision): AlertState {
  if (groups.some(({ firingSince }) => firingSince !== null)) return 'firing';
  if (readings.some(({ holds }) => holds !== null)) return 'ok';
  // No user at all costs too much where there is none.
  const isZero = rule.enabled && rule.group_by !== 'none' && isSum(rule.measure) && rule.min_count === 0;
  return isZero && 'op' in rule.condition ? 'ok' : 'no_data';
}

function judge(
  { condition, measure, min_count: countMin }: AlertRule,
  reading: Reading,
  before: number | null,
): AlertGroup {
  const { key, count } = reading;
  const hasData = count >= countMin && (count > 0 || isSum(measure));
  const value = hasData ? reading.value : null;
  if ('op' in condition) {
    const holds = value === null ? null : isBeyond(condition.op, value, condition.value);
    return { key, value, count, compared: null, change_percent: null, holds };
  }
  const change = value === null || before === null || before === 0 ? null : ((value - before) / Math.abs(before)) * 100;
  const limit = condition.change === '>' ? condition.percent : -condition.percent;
  const holds = change === null ? null : isBeyond(condition.change, change, limit);
  return { key, value, count, compared: before, change_percent: change, holds };
}

const isBeyond = (op: '>' | '<', value: number, limit: number): boolean => (op === '>' ? value > limit : value < limit);
