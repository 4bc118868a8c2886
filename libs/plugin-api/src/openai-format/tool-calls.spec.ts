import { describe, expect, it } from '@jest/globals';
import { readToolCalls, ToolCallDeltas } from './tool-calls.js';

const piece = (index: number | null, id: string | null, name: string | null, given: unknown) => ({
  ...(index !== null && { index }),
  ...(id !== null && { id }),
  function: { ...(name !== null && { name }), arguments: given },
});

function callsOf(...pieces: object[]) {
  const deltas = new ToolCallDeltas();
  for (const each of pieces) deltas.add({ tool_calls: [each] });
  return deltas.toolCalls();
}

describe('tool calls in pieces', () => {
  it.each<[what: string, pieces: object[], expected: object[]]>([
    [
      'one index, arguments in pieces',
      [piece(0, 'a', 'f', ''), piece(0, null, null, '{"x"'), piece(0, null, null, ':1}')],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    [
      'the same index with another id (Google)',
      [piece(0, 'a', 'f', '{"x":1}'), piece(0, 'b', 'g', '{"y"'), piece(0, null, null, ':2}')],
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'g', arguments: '{"y":2}' },
      ],
    ],
    [
      'the same index with another name and no ids',
      [piece(0, null, 'f', '{}'), piece(0, null, 'g', '{"y":2}')],
      [
        { id: null, name: 'f', arguments: '{}' },
        { id: null, name: 'g', arguments: '{"y":2}' },
      ],
    ],
    [
      'neither indexes nor ids, another function and the same one again (Google)',
      [
        piece(null, '', 'f', '{}'),
        piece(null, '', 'g', '{"y":2}'),
        piece(null, '', 'g', '{"y"'),
        piece(null, '', 'g', ':3}'),
      ],
      [
        { id: null, name: 'f', arguments: '{}' },
        { id: null, name: 'g', arguments: '{"y":2}' },
        { id: null, name: 'g', arguments: '{"y":3}' },
      ],
    ],
    [
      'the same function twice under one index',
      [piece(0, 'a', 'f', '{"x":1}'), piece(0, 'b', 'f', '{"x":2}')],
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'f', arguments: '{"x":2}' },
      ],
    ],
    [
      'id and name in every piece',
      [piece(0, 'a', 'f', '{"x"'), piece(0, 'a', 'f', ':1}')],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    [
      'no index: the call of its id, else the last',
      [
        piece(null, 'a', 'f', '{"x"'),
        piece(null, 'b', 'g', '{}'),
        piece(null, 'a', null, ':1'),
        piece(null, null, null, ''),
      ],
      [
        { id: 'a', name: 'f', arguments: '{"x":1' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ],
    [
      'an id that comes later',
      [piece(1, null, 'f', '{'), piece(1, 'a', null, '}')],
      [{ id: 'a', name: 'f', arguments: '{}' }],
    ],
    [
      'indexes out of order',
      [piece(1, 'b', 'g', '{}'), piece(0, 'a', 'f', '{}')],
      [
        { id: 'a', name: 'f', arguments: '{}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
    ],
    [
      'all arguments once more at the end',
      [piece(0, 'a', 'f', '{"x"'), piece(0, null, null, ':1}'), piece(0, 'a', 'f', '{"x":1}')],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    ['a name alone', [piece(0, 'a', 'f', undefined)], [{ id: 'a', name: 'f', arguments: '' }]],
    [
      'a custom tool',
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'note', input: 'ebb ' } },
        { index: 0, custom: { input: 'tide' } },
      ],
      [{ id: 'a', name: 'note', arguments: 'ebb tide' }],
    ],
  ])('%s', (_what, pieces, expected) => {
    expect(callsOf(...pieces)).toEqual(expected);
  });

  it('of the older kind come before the others', () => {
    const deltas = new ToolCallDeltas();
    expect(deltas.add({ tool_calls: [piece(0, 'a', 'f', '{}')] })).toBe(true);
    expect(deltas.add({ function_call: { name: 'old', arguments: '{' } })).toBe(true);
    expect(deltas.add({ function_call: { arguments: '}' } })).toBe(true);
    expect(deltas.add({ content: 'x', tool_calls: [], function_call: null })).toBe(false);
    expect(deltas.toolCalls().map(({ name }) => name)).toEqual(['old', 'f']);
  });

  it('may come one by one, in no list', () => {
    const deltas = new ToolCallDeltas();
    expect(deltas.add({ tool_calls: piece(0, '', 'f', '') })).toBe(true);
    expect(deltas.add({ tool_calls: piece(0, '', null, '{"x":1}') })).toBe(true);
    expect(deltas.toolCalls()).toEqual([{ id: null, name: 'f', arguments: '{"x":1}' }]);
  });

  it('of tools that Groq runs come once more with what came of them', () => {
    const search = { index: 0, type: 'search', arguments: '{"query":"tides"}' };
    const deltas = new ToolCallDeltas();
    expect(deltas.add({ executed_tools: [search] })).toBe(true);
    expect(deltas.add({ executed_tools: [{ ...search, output: 'Title: …' }] })).toBe(true);
    const expected = [{ id: null, name: 'search', arguments: '{"query":"tides"}' }];
    expect(deltas.toolCalls()).toEqual(expected);
    expect(readToolCalls({ content: 'Sunny', executed_tools: [search] })).toEqual(expected);
  });

  it('of a whole message are as many as it lists', () => {
    const calls = [piece(0, 'a', 'f', '{}'), piece(0, 'a', 'f', '{}')];
    expect(readToolCalls({ tool_calls: calls })).toHaveLength(2);
  });
});
