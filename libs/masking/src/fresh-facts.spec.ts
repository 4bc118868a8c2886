import { describe, expect, it } from '@jest/globals';
import { FreshFacts } from './fresh-facts.js';

/** Facts that are found out when asked to, on a clock of their own. */
function facts(shownMs = 800) {
  const state = { now: 0, value: 'first', asked: 0, away: false };
  const fresh = new FreshFacts(
    async () => {
      state.asked++;
      if (state.away) throw new Error('away');
      return state.value;
    },
    shownMs,
    3,
    () => state.now,
  );
  return { state, fresh };
}
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('FreshFacts', () => {
  it('finds a fact out once, and then shows it without waiting', async () => {
    const { state, fresh } = facts();
    expect(await Promise.all([fresh.get('a'), fresh.get('a')])).toEqual(['first', 'first']);
    expect(fresh.get('a')).toBe('first');
    expect(state.asked).toBe(1);
  });

  it('shows no fact that is older than it may be, also while nothing can be found out', async () => {
    const { state, fresh } = facts();
    await fresh.get('a');
    state.away = true;
    state.now = 799;
    expect(fresh.get('a')).toBe('first');
    state.now = 800;
    await expect(fresh.get('a')).rejects.toThrow('away');
    await turn();
    state.away = false;
    state.value = 'second';
    expect(await fresh.get('a')).toBe('second');
  });

  it('forgets what has changed here, and what was being found out', async () => {
    const { state, fresh } = facts();
    const before = fresh.get('a');
    state.value = 'second';
    fresh.forget('a');
    await before;
    expect(await fresh.get('a')).toBe('second');
    expect(state.asked).toBe(2);
  });

  it('keeps so many and no more', async () => {
    const { state, fresh } = facts();
    for (const key of ['a', 'b', 'c', 'd']) await fresh.get(key);
    expect(fresh.get('d')).toBe('first');
    expect(fresh.get('a')).toBeInstanceOf(Promise);
    expect(state.asked).toBe(5);
  });
});
