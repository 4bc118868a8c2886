import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { PlannedStatements } from './planned-statements.js';

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
