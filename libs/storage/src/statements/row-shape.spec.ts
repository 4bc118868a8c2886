import { describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { checkedRows, bytes, integer, nullable, number, shapeOf, text } from './row-shape.js';
import { renderSql } from './sql.js';
import { tableOf } from './table.js';

const ThingSchema = defineEntity({
  name: 'Thing',
  tableName: 'thing',
  properties: {
    projectId: p.text().primary(),
    seenAt: p.bigint('number').nullable(),
    status: p.smallint(),
    cost: p.double().$type<number>().nullable(),
    packed: p.blob().nullable(),
  },
});
const thing = tableOf(ThingSchema, ['projectId']);

describe('the shape of rows', () => {
  it('of an entity has the names and types of its columns', () => {
    expect(thing.select('t').columns).toEqual({
      projectId: text(),
      seenAt: nullable(integer()),
      status: integer(),
      cost: nullable(number()),
      packed: nullable(bytes()),
    });
  });

  it('may be of some columns, and of others beside them', () => {
    const shape = thing.select('t', ['status']).and(shapeOf({ bytes: integer() }));
    expect(shape.columns).toEqual({ status: integer(), bytes: integer() });
  });

  it('is the list of columns in the statement that selects them', () => {
    const columns = thing.select('t', ['projectId', 'seenAt']);
    const query = columns.query`select ${columns} from thing t where t.status = ${1}`;
    expect(renderSql(query, 'postgres')).toEqual({
      text: 'select t.project_id as "projectId", t.seen_at as "seenAt" from thing t where t.status = $1',
      params: [1],
    });
  });
});

describe('a row', () => {
  const columns = thing.select('t');
  const row = { projectId: 'a', seenAt: null, status: 1, cost: 0.5, packed: null };
  const check = (found: unknown) => checkedRows(columns.query`select ${columns} from thing t`, [found], 'sqlite');

  it("of its query's shape passes", () => {
    expect(check(row)).toEqual([row]);
    expect(check({ ...row, seenAt: 2 ** 53, cost: null, packed: Buffer.of(1) })).toHaveLength(1);
  });

  it.each([
    ['lacks a column', { projectId: 'a', seenAt: null, status: 1 }, 'column cost is missing'],
    ['has one more', { ...row, extra: 1 }, 'column extra is not in the shape'],
    ['has text for a number', { ...row, status: '1' }, 'column status is string 1, not integer'],
    ['has a fraction for a whole number', { ...row, status: 1.5 }, 'column status is number 1.5, not integer'],
    ['has text for bytes', { ...row, packed: 'x' }, 'column packed is string x, not bytes or null'],
    ['has a boolean for a number', { ...row, cost: true }, 'column cost is boolean true, not number or null'],
    ['has null where there is always a value', { ...row, projectId: null }, 'projectId is object null, not text'],
  ])('that %s does not', (_what, other, fault) => {
    expect(() => check(other)).toThrow(fault);
  });
});
