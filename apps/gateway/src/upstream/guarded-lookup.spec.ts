import { describe, expect, it } from '@jest/globals';
import { guardedLookup } from './guarded-lookup.js';

describe('guardedLookup', () => {
  it('hands out no address of this machine', async () => {
    const error = await new Promise((resolve) => guardedLookup('localhost', {}, (failure) => resolve(failure)));
    expect(error).toMatchObject({ kind: 'refused' });
  });
});
