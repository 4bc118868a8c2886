import { AsyncLocalStorage as NodeStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { AsyncLocalStorage, findStorage } from './portable-storage.js';

describe('what is open', () => {
  it('is known by the class of the platform, where it has one', () => {
    expect(AsyncLocalStorage).toBe(NodeStorage);
    const own = NodeStorage as never;
    expect(findStorage({ AsyncLocalStorage: own })).toBe(own);
    expect(findStorage({ process: { getBuiltinModule: () => ({ AsyncLocalStorage: own }) } })).toBe(own);
  });

  it.each([{}, { process: {} }, { process: { getBuiltinModule: () => undefined } }])(
    'is known until a function returns with %j, also where it throws',
    (platform) => {
      const storage = new (findStorage(platform))<number>();
      const seen = storage.run(1, () => {
        const inner = storage.run(2, () => storage.getStore());
        expect(() =>
          storage.run(3, () => {
            throw new RangeError();
          }),
        ).toThrow(RangeError);
        return [inner, storage.getStore()];
      });
      expect([seen, storage.getStore()]).toEqual([[2, 1], undefined]);
    },
  );
});
