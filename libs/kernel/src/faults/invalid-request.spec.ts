import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { invalidRequest, schemaFaults, useFaultWords } from './invalid-request.js';

useFaultWords();

const schema = z.object({
  name: z.string().max(5).min(1),
  count: z.number().int().min(1).max(9).optional(),
  ratio: z.number().lt(1).optional(),
  on: z.boolean().optional(),
  tags: z.array(z.string()).max(2).optional(),
  kind: z.enum(['a', 'b', 'c']).optional(),
  version: z.literal(1).optional(),
  rule: z.object({ is: z.union([z.string(), z.number()]) }).optional(),
  form: z.union([z.enum(['x', 'y']), z.object({ failed: z.object({ error: z.string() }) })]).optional(),
  filters: z.strictObject({ model: z.string().optional(), provider: z.string().optional() }).optional(),
  id: z.string().regex(/^\d+$/, 'must be a number').optional(),
});

const detailOf = (value: unknown): string => {
  const { error } = schema.safeParse(value);
  return invalidRequest(schemaFaults(error!, schema)).message;
};

describe('the detail of an invalid request', () => {
  it.each<[unknown, string]>([
    [{}, 'name is required'],
    [{ name: null }, 'name must be a string, not null'],
    [{ name: 7 }, 'name must be a string, not a number'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'abcdef' }, 'name must have at most 5 characters'],
    [{ name: 'n', count: '1' }, 'count must be a number, not a string'],
    [{ name: 'n', count: 1.5 }, 'count must be a whole number'],
    [{ name: 'n', count: 0 }, 'count must be at least 1'],
    [{ name: 'n', count: 10 }, 'count must be at most 9'],
    [{ name: 'n', ratio: 1 }, 'ratio must be less than 1'],
    [{ name: 'n', on: 'yes' }, 'on must be true or false, not a string'],
    [{ name: 'n', tags: 'a' }, 'tags must be a list, not a string'],
    [{ name: 'n', tags: ['a', 2] }, 'tags[1] must be a string, not a number'],
    [{ name: 'n', tags: ['a', 'b', 'c'] }, 'tags must have at most 2 items'],
    [{ name: 'n', kind: 'd' }, 'kind must be "a", "b" or "c"'],
    [{ name: 'n', version: 2 }, 'version must be 1'],
    [{ name: 'n', form: 'z' }, 'form must be "x" or "y" or an object'],
    [{ name: 'n', rule: {} }, 'rule.is is required'],
    [{ name: 'n', form: {} }, 'form has none of the forms that it may have'],
    [{ name: 'n', filters: { modle: 'm' } }, 'filters.modle is not a member of this object; did you mean "model"?'],
    [{ name: 'n', filters: { x: 1 } }, 'filters.x is not a member of this object, which takes model, provider'],
    [{ name: 'n', id: 'x' }, 'id must be a number'],
    [[], 'the body must be an object, not a list'],
    [undefined, 'the body is required'],
    [{ count: 0 }, 'name is required, and 1 more fault (see errors)'],
    [{ count: 0, on: 1, tags: [1] }, 'name is required, and 3 more faults (see errors)'],
  ])('of %j is %j', (value, detail) => {
    expect(detailOf(value)).toBe(detail);
  });

  it('lists a hundred faults at most, and counts no further', () => {
    const list = z.array(z.string());
    const { error } = list.safeParse(Array.from({ length: 500 }, () => 1));
    const problem = invalidRequest(schemaFaults(error!, list));
    expect(problem.message).toBe('[0] must be a string, not a number, and more than 99 faults (see errors)');
    expect(problem.errors).toHaveLength(100);
  });

  it('shows names of any characters, cut and in quotes', () => {
    const message = 'is unknown';
    expect(invalidRequest([{ path: 'a b\u0000"', message }]).message).toBe(String.raw`"a b\u0000\"" is unknown`);
    const long = invalidRequest([{ path: `${'x'.repeat(99)}\ud83d\ude00`, message }]);
    expect(long.errors![0]!.path).toBe(`${'x'.repeat(99)}\ufffd…`);
    expect(long.message.isWellFormed()).toBe(true);
  });
});
