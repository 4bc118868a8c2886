import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { turnAfter } from './sqlite-backend.js';

describe('a part of a transaction', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['comes to an end with others having had their turn, when it took long', 20, true],
    ['is followed by the next one at once, when it was short', 1, false],
  ])('%s', async (_what, ms, hadTurn) => {
    let turned = false;
    setImmediate(() => (turned = true));
    const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(ms);
    expect(await turnAfter(() => 'made')).toBe('made');
    expect(clock).toHaveBeenCalledTimes(2);
    expect(turned).toBe(hadTurn);
  });

  it('fails as it does', async () => {
    const failed = turnAfter(() => {
      throw new Error('disk full');
    });
    await expect(failed).rejects.toThrow('disk full');
  });
});
