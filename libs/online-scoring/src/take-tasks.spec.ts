import { describe, expect, it } from '@jest/globals';
import type { WriteTx } from '@spandrel/storage';
import type { ScoringRuleRow, ScoringTaskRow } from './scoring-rule.entity.js';
import type { ScoringRuleStore } from './scoring-rule.store.js';
import type { ScoringTaskStore } from './scoring-task.store.js';
import { decideByBudget, TakeTasks } from './take-tasks.js';

describe('decideByBudget', () => {
  it.each<[string, number | null, number, number | null, number, string]>([
    ['without a budget', null, 100, 1, 50, 'begin'],
    ['while no cost is known, the first', 1, 0, null, 0, 'begin'],
    ['while no cost is known, a second', 1, 0, null, 1, 'wait'],
    ['with room for one more', 1, 0.5, 0.25, 1, 'begin'],
    ['with room when one under way ends', 1, 0.5, 0.25, 2, 'wait'],
    ['without room for the dearest', 1, 0.8, 0.25, 0, 'stop'],
    ['with room for the dearest to the cent', 0.3, 0.1 + 0.1, 0.1, 0, 'begin'],
    ['with nothing left', 1, 1, null, 0, 'stop'],
    ['with a budget of nothing', 0, 0, null, 0, 'stop'],
  ])('%s', (_what, cap, spent, dearest, underWay, expected) => {
    expect(decideByBudget({ cap, spent }, dearest, underWay)).toBe(expected);
  });
});

describe('TakeTasks', () => {
  const DAY_MS = 86_400_000;

  it('passes over what waited for a day, which begins when its target was quiet', async () => {
    const now = 100 * DAY_MS;
    const due = [1.5, 2.5].map((days) => ({ targetId: `${days}`, notedAt: now - days * DAY_MS }) as ScoringTaskRow);
    const tasks = { countUnderWay: async () => 0, dueForWrite: async () => due } as unknown as ScoringTaskStore;
    const rule = { enabled: 1, dailyCap: null, backfill: null, quietMs: DAY_MS, skippedCount: 0 } as ScoringRuleRow;
    const tx = { update: async () => undefined } as unknown as WriteTx;
    const options = { owner: 'me', limit: 10, counts: {}, now };
    const taken = await new TakeTasks({} as ScoringRuleStore, tasks).execute(tx, rule, options);
    expect(taken.map(({ targetId }) => targetId)).toEqual(['1.5']);
    expect(options.counts).toEqual({ budget: 0, overload: 1 });
  });
});
