import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { gathered, gatheringMembers } from './lists.js';

const schema = gatheringMembers(
  z.object({
    name: z.string().optional(),
    text: gathered('text', z.string()),
    limit: gathered('limit', z.string().regex(/^\d+$/).transform(Number)),
  }),
);

describe('members of a query that gather parameters', () => {
  it('have the values by the rest of the names', () => {
    expect(schema.parse({ name: 'n', 'text.a': '1', 'text.b.c': '', 'text.1': 'x', 'limit.a': '5' })).toEqual({
      name: 'n',
      text: { a: '1', 'b.c': '', '1': 'x' },
      limit: { a: 5 },
    });
  });

  it('are not there without such parameters', () => {
    expect(schema.parse({ name: 'n', texts: '1' })).toEqual({ name: 'n' });
    expect(schema.parse({})).toEqual({});
  });

  it('name the parameter that is wrong', () => {
    const { error } = schema.safeParse({ 'text.a': ['1', '2'], 'limit.b': 'x' });
    expect(error?.issues.map(({ path }) => path.join('.')).toSorted()).toEqual(['limit.b', 'text.a']);
  });

  it('leave the query as it came', () => {
    const query = { 'text.a': '1' };
    schema.parse(query);
    expect(query).toEqual({ 'text.a': '1' });
  });
});
