import { describe, expect, it } from '@jest/globals';
import { readArguments } from '../serving/call-tool.js';

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    limit: { type: 'integer' },
    cost: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    passed: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    metadata: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'array' }] },
    any: {},
  },
  required: ['id'],
};

describe('arguments as agents send them', () => {
  it.each<[string, unknown, unknown]>([
    ['limit', '5', 5],
    ['limit', ' 12 ', 12],
    ['limit', 5, 5],
    ['limit', 'five', 'five'],
    ['limit', '0x10', '0x10'],
    ['cost', '-0.5', -0.5],
    ['passed', 'true', true],
    ['passed', 'False', false],
    ['passed', 'yes', 'yes'],
    ['tags', '["a", "b"]', ['a', 'b']],
    ['tags', 'a', 'a'],
    ['tags', '[a', '[a'],
    ['metadata', '{"branch": "main"}', { branch: 'main' }],
    ['either', '["a"]', '["a"]'],
    ['any', '5', '5'],
    ['id', '5', '5'],
    ['unknown', '5', '5'],
    ['constructor', '5', '5'],
  ])('%s: %j is %j', (name, given, expected) => {
    expect(readArguments({ [name]: given }, schema, true)).toEqual({ args: { [name]: expected }, empty: [] });
  });

  it('are left out where they are null or an empty text', () => {
    const given = { id: '', limit: '', tags: '', either: '', metadata: null, unknown: '' };
    expect(readArguments(given, schema, true)).toEqual({
      args: { id: '', unknown: '' },
      empty: ['limit', 'tags', 'either'],
    });
  });

  it('are empty texts where those are values', () => {
    const given = { id: '', limit: '', either: '' };
    expect(readArguments(given, schema, false)).toEqual({ args: { id: '', either: '' }, empty: ['limit'] });
  });
});
