import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import type pg from 'pg';
import { connectionKeeping } from './postgres-pool.js';
import { PostgresBackend, PlannedStatements } from './postgres-backend.js';

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

/** A connection that notes what it is asked. @param fail the text of what fails. */
function connection(fail?: string) {
  const asked: string[] = [];
  const names = new Map<string, string>();
  const parsedStatements: Record<string, string> = {};
  const query = (asks: string | { name: string; text: string }): Promise<unknown> => {
    const text = typeof asks === 'string' ? asks : asks.text;
    asked.push(text.split(' ')[0]!);
    if (typeof asks !== 'string') {
      names.set(asks.text, asks.name);
      parsedStatements[asks.name] = asks.text;
    }
    return text === fail ? Promise.reject(new Error(`${text} failed`)) : Promise.resolve({ rows: [{ text }] });
  };
  const client = { query, connection: { parsedStatements } } as unknown as pg.PoolClient;
  return { client, asked, names, parsedStatements };
}

const statement = (n: number) => ({ text: `select ${n}`, params: [n] });

describe('planned statements', () => {
  it('run in a transaction of their own, on the way together, by one name a text', async () => {
    const { client, asked, names } = connection();
    const planned = new PlannedStatements();
    expect((await planned.query(client, statement(1))).rows).toEqual([{ text: 'select 1' }]);
    const name = names.get('select 1');
    await planned.query(client, statement(1));
    await planned.query(client, statement(2));
    expect(asked).toEqual(['begin', 'select', 'commit', 'begin', 'select', 'commit', 'begin', 'select', 'commit']);
    expect(names.get('select 1')).toBe(name);
    expect(names.get('select 2')).not.toBe(name);
  });

  it('are given up when others were used since, on each connection by itself', async () => {
    const { client, asked, names, parsedStatements } = connection();
    const other = connection();
    const planned = new PlannedStatements();
    await planned.query(other.client, statement(1));
    for (let n = 1; n <= 16; n++) await planned.query(client, statement(n));
    await planned.query(client, statement(1));
    expect(asked).not.toContain('deallocate');
    await planned.query(client, statement(17));
    expect(asked.filter((text) => text === 'deallocate')).toHaveLength(1);
    expect(parsedStatements).not.toHaveProperty(names.get('select 2')!);
    expect(parsedStatements).toHaveProperty(names.get('select 1')!);
    expect(other.asked).toEqual(['begin', 'select', 'commit']);
  });

  it.each(['select 1', 'commit'])('fail with what the database met: %s', async (text) => {
    await expect(new PlannedStatements().query(connection(text).client, statement(1))).rejects.toThrow(
      `${text} failed`,
    );
  });
});
