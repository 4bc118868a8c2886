import { describe, expect, it } from '@jest/globals';
import type { AlertRule } from '@spandrel/contract';
import { decideState, type Decision, type Reading } from './decide-state.js';
import { pauseAfter } from './deliver-alerts.js';

const MINUTE = 60_000;

const RULE: AlertRule & { enabled: boolean } = {
  ...{ enabled: true, measure: 'error_rate', filters: {}, group_by: 'none', window: '5m', min_count: 0 },
  ...{ condition: { op: '>', value: 5 }, for: null, cooldown: null, channel_ids: [], severity: 'warning' },
};

/** An alert that is evaluated once a minute. */
class Run {
  private before: Pick<Decision, 'state' | 'groups'> = { state: 'no_data', groups: [] };
  private now = 0;

  constructor(private readonly rule: Partial<typeof RULE> = {}) {}

  next(measured: readonly Reading[], compared: readonly Reading[] = []): Decision {
    this.now += MINUTE;
    const decision = decideState({ ...RULE, ...this.rule }, measured, compared, this.before, this.now);
    this.before = JSON.parse(JSON.stringify(decision)) as Decision;
    return decision;
  }

  /** State and what is sent of one value. */
  value(value: number | null, count = value === null ? 0 : 10): string {
    const { state, notices } = this.next([{ key: null, value, count }]);
    return [state, ...notices.map(({ event }) => event)].join(' ');
  }
}

const group = (key: string, value: number): Reading => ({ key, value, count: 1 });

describe('an alert', () => {
  it('fires once, resolves once, and knows when there is no data', () => {
    const run = new Run();
    expect([1, 6, 7, 5, null, 6, null].map((value) => run.value(value))).toEqual([
      ...['ok', 'firing firing', 'firing', 'ok resolved', 'no_data', 'firing firing', 'no_data resolved'],
    ]);
  });

  it('fires once the condition has held for its time, without a gap', () => {
    const run = new Run({ for: '2m' });
    expect([6, 6, 1, 6, 6, 6, 6].map((value) => run.value(value))).toEqual([
      ...['ok', 'ok', 'ok', 'ok', 'ok', 'firing firing', 'firing'],
    ]);
  });

  it('is silent while it cools down, and says afterwards what then still fires', () => {
    const run = new Run({ cooldown: '3m' });
    expect([6, 1, 6, 6, 1, 6, 6].map((value) => run.value(value))).toEqual([
      ...['firing firing', 'ok resolved', 'firing', 'firing firing', 'ok resolved', 'firing', 'firing firing'],
    ]);
  });

  it('has no data with fewer than it wants', () => {
    const run = new Run({ min_count: 3 });
    expect([run.value(6, 2), run.value(6, 3), run.value(6, 2)]).toEqual([
      'no_data',
      'firing firing',
      'no_data resolved',
    ]);
  });

  it('takes nothing for 0 where it sums, so that silence can fire', () => {
    const run = new Run({ measure: 'calls', condition: { op: '<', value: 1 } });
    expect([run.value(3), run.value(0, 0)]).toEqual(['ok', 'firing firing']);
  });

  it('has groups that fire and resolve each by itself, one that is gone too', () => {
    const run = new Run({ measure: 'cost', group_by: 'user' });
    const events = (readings: Reading[]) => run.next(readings).notices.map(({ key, event }) => `${key!} ${event}`);
    expect(events([group('a', 6), group('b', 1)])).toEqual(['a firing']);
    expect(events([group('a', 6), group('b', 7)])).toEqual(['b firing']);
    const { state, notices, changes, lastValue } = run.next([group('b', 8)]);
    expect([state, lastValue]).toEqual(['firing', 8]);
    expect(notices).toEqual([{ event: 'resolved', key: 'a', value: null }]);
    expect(changes).toEqual([{ key: 'a', from: 'firing', to: 'ok', value: null }]);
    expect(run.next([])).toMatchObject({ state: 'ok', groups: [] });
  });

  it('follows a hundred groups, and none that fires resolves as others go further', () => {
    const run = new Run({ measure: 'cost', group_by: 'user' });
    expect(run.next([group('first', 6)]).notices).toHaveLength(1);
    const others = Array.from({ length: 200 }, (_, index) => group(`u${index}`, 100 + index));
    const { groups, notices } = run.next([...others, group('first', 6)]);
    expect(groups).toHaveLength(100);
    expect(notices.filter(({ event }) => event === 'resolved')).toEqual([]);
    expect(groups.map(({ key }) => key)).toEqual(expect.arrayContaining(['first', 'u199']));
  });

  it('compares with what was before, and says nothing where nothing was', () => {
    const rose = { change: '>', percent: 50, against: 'previous' } as const;
    const fell = { change: '<', percent: 50, against: 'same_hour_last_week' } as const;
    const holds = (condition: AlertRule['condition'], value: number, before: number) =>
      new Run({ measure: 'cost', condition }).next(
        [{ key: null, value, count: 1 }],
        [{ key: null, value: before, count: 1 }],
      ).readings[0]!.holds;
    expect([holds(rose, 16, 10), holds(rose, 15, 10), holds(rose, 1, 10), holds(rose, 1, 0)]).toEqual([
      ...[true, false, false, null],
    ]);
    expect([holds(fell, 4, 10), holds(fell, 5, 10), holds(fell, 40, 10)]).toEqual([true, false, false]);
  });

  it('knows that a group that is gone has fallen to nothing, where it sums', () => {
    const fell = { change: '<', percent: 50, against: 'previous' } as const;
    const run = new Run({ measure: 'calls', group_by: 'model', condition: fell });
    expect(run.next([group('a', 4)], [group('a', 10)])).toMatchObject({ notices: [{ event: 'firing', key: 'a' }] });
    expect(run.next([], [group('a', 10)])).toMatchObject({
      ...{ state: 'firing', lastValue: 0, notices: [] },
      readings: [{ key: 'a', value: 0, count: 0, compared: 10, change_percent: -100, holds: true }],
    });
    expect(run.next([], []).notices).toMatchObject([{ event: 'resolved', key: 'a' }]);
    // Nothing can be said of a mean of nothing, nor of groups beyond those that are measured.
    const rate = new Run({ group_by: 'model', condition: fell });
    expect(rate.next([], [group('a', 10)])).toMatchObject({ state: 'no_data', readings: [] });
    const many = Array.from({ length: 1_000 }, (_, n) => group(`m${n}`, 1));
    expect(new Run({ measure: 'cost', group_by: 'model', condition: fell }).next(many, [group('a', 10)])).toMatchObject(
      {
        notices: [],
      },
    );
  });

  it('resolves what fires when it is turned off', () => {
    const run = new Run();
    run.value(6);
    expect(new Run({ enabled: false }).next([])).toMatchObject({ state: 'no_data' });
    Object.assign(run, { rule: { enabled: false } });
    expect(run.next([])).toMatchObject({ state: 'no_data', notices: [{ event: 'resolved' }], groups: [] });
  });
});

it('deliveries are tried again after 1, 4, 16, 64 s and on, at most a quarter of an hour', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map(pauseAfter)).toEqual(
    [1, 4, 16, 64, 256, 900, 900].map((seconds) => seconds * 1_000),
  );
});
