import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { PostgresBackend } from './postgres-backend.js';

/** A pool with room for one connection, whose server commits and is gone before it says so. */
function onePlace(status: string): { pool: pg.Pool; given: Promise<void> } {
  const { promise: given, resolve: giveBack } = Promise.withResolvers<void>();
  const lost = Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
  const client = {
    query: async (text: string) => {
      if (text.startsWith('begin')) return [{}, { rows: [{ xid: '7' }] }];
      throw lost;
    },
    release: () => giveBack(),
  };
  const pool = {
    connect: async () => client,
    query: async () => {
      await given;
      return { rows: [{ status }] };
    },
  };
  return { pool: pool as unknown as pg.Pool, given };
}

describe('a transaction whose connection breaks during its commit', () => {
  const run = (status: string): Promise<string> => {
    const { pool } = onePlace(status);
    const backend = new PostgresBackend({
      pool,
      makeManager: () => {
        throw new Error('not asked for');
      },
      close: async () => undefined,
    });
    return backend.transaction(async () => 'done');
  };

  it('asks for its fate with its place in the pool given back', async () => {
    expect(await run('committed')).toBe('done');
    await expect(run('aborted')).rejects.toThrow('connection lost');
  });
});
