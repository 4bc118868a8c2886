import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ExportFault } from '../decode/item-budget.js';
import { collect } from './take-export.js';

afterEach(() => void jest.restoreAllMocks());

/** Counts the turns of the event loop that others get while items are taken, each of which takes a tenth of a millisecond. */
async function turnsDuring(items: number): Promise<number> {
  let now = 0;
  let turns = 0;
  let going = true;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const others = (async () => {
    for (; going; turns++) await nextTurn();
  })();
  const decoded = (function* () {
    for (let item = 0; item < items; item++) {
      now += 0.1;
      yield item;
    }
  })();
  const all = await collect(decoded);
  const during = turns;
  going = false;
  await others;
  expect(all).toEqual(Array.from({ length: items }, (_, item) => item));
  return during;
}

describe('reading an export', () => {
  it('lets others have their turn after every millisecond or two', async () => {
    expect(await turnsDuring(1_600)).toBeGreaterThan(90);
  });

  it('holds on to the turn for what is short', async () => {
    expect(await turnsDuring(9)).toBe(0);
  });

  it.each([
    ['malformed', 'malformed_request'],
    ['too_large', 'payload_too_large'],
  ] as const)('refuses what is %s as %s', async (kind, code) => {
    const decoded = (function* () {
      yield 1;
      throw new ExportFault(kind, 'the reason');
    })();
    await expect(collect(decoded)).rejects.toMatchObject({ code, message: 'the reason' });
  });
});
