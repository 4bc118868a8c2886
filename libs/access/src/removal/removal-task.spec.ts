import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { failureOf } from './removal-task.js';

describe('what an administrator sees of a removal that failed', () => {
  it.each([
    [Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:6333'), { code: 'ECONNREFUSED' }), ' (ECONNREFUSED)'],
    [Object.assign(new Error('canceling statement'), { code: '57014' }), ' (57014)'],
    [Object.assign(new Error('x'), { code: 'at https://index.internal' }), ''],
    [new Error('the index at https://index.internal said 401'), ''],
    ['text', ''],
    [undefined, ''],
  ])('is the code of %p, and no address', (error, code) => {
    expect(failureOf(error)).toBe(`it failed${code}; the log of the servers says more`);
  });

  it('is the database where that is away', () => {
    expect(failureOf(new Unavailable('x'))).toBe('the database could not be used');
  });
});
