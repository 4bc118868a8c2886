import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { Unavailable } from '@spandrel/kernel';
import { connectionKeeping } from './postgres-pool.js';
import { PostgresBackend } from './postgres-backend.js';

/** What the server says of the transaction, and whether it is the one it was. */
interface Fate {
  status?: string | null;
  life?: string;
  code?: string;
}

/** A pool with room for one connection, whose server commits and is gone before it says so. */
function onePlace(fate: Fate): pg.Pool {
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
    options: { max: 1 },
    connect: async () => client,
    query: async () => {
      await given;
      if (fate.code !== undefined) throw Object.assign(new Error('unknown'), { code: fate.code });
      return { rows: [fate] };
    },
  };
  return pool as unknown as pg.Pool;
}

describe('a transaction whose connection breaks during its commit', () => {
  const run = (fate: Fate): Promise<string> => {
    const backend = new PostgresBackend({
      keeping: connectionKeeping(false, 1_000),
      pool: onePlace(fate),
      makeManager: () => {
        throw new Error('not asked for');
      },
      cancel: async () => undefined,
      close: async () => undefined,
    });
    return backend.transaction(async () => 'done');
  };

  it('asks for its fate with its place in the pool given back', async () => {
    expect(await run({ status: 'committed' })).toBe('done');
    await expect(run({ status: 'aborted' })).rejects.toThrow('connection lost');
  });

  it('is begun again when the server that came back does not know it', async () => {
    await expect(run({ code: '22023' })).rejects.toThrow('connection lost');
  });

  it('is neither committed nor begun again when its id may be that of another one', async () => {
    // A server that crashed, or a standby that took over, may have given the same id out again.
    await expect(run({ status: 'committed', life: 'another' })).rejects.toBeInstanceOf(Unavailable);
    await expect(run({ status: null })).rejects.toBeInstanceOf(Unavailable);
  });
});
