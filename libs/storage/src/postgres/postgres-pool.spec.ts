import { describe, expect, it } from '@jest/globals';
import { connectionKeeping } from './postgres-pool.js';

describe('what is kept on a connection', () => {
  it('are the timeouts and prepared statements, where the connection is one to the server', () => {
    const { onConnect, begin, prepares } = connectionKeeping(false, 4_000);
    expect(onConnect).toMatch(/^set statement_timeout = 4000; set lock_timeout = 2000;/);
    expect([begin, prepares]).toEqual(['begin; ', true]);
  });

  it('is nothing behind a pooler in transaction mode: each transaction has the timeouts for itself', () => {
    const { onConnect, begin, prepares } = connectionKeeping(true, 4_000);
    expect([onConnect, prepares]).toEqual(['', false]);
    expect(begin).toMatch(/^begin; set local statement_timeout = 4000; set local lock_timeout = 2000;/);
    expect(begin.match(/\bset (?!local)/)).toBeNull();
  });

  it('lets a migration take its time, but not wait for locks', () => {
    expect(connectionKeeping(false, null).onConnect).toMatch(/statement_timeout = 0; set lock_timeout = 2000;/);
  });
});
