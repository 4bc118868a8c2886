import { describe, expect, it, jest } from '@jest/globals';
import { JSON_DEPTH_MAX } from '@spandrel/contract';
import { datapointOfRow, isEmptyRow, RowFault } from './datapoint-of-row.js';
import type { Column } from './source-row.js';

const ofJson = (row: unknown) =>
  datapointOfRow({ line: 1, json: typeof row === 'string' ? row : JSON.stringify(row) }, 500_000);
const ofCells = (cells: Partial<Record<Column, string>>) => datapointOfRow({ line: 1, cells }, 500_000);
const messages = [{ role: 'user', content: 'hi' }];

describe('an empty row', () => {
  it.each([
    [{ line: 1, cells: {} }, true],
    [{ line: 1, json: '{}\r' }, true],
    [{ line: 1, json: ' { \n } ' }, true],
    [{ line: 1, cells: {}, others: ['note'] }, false],
    [{ line: 1, cells: {}, metadata: [{ column: 'a', key: 'a', cell: 'x' }] }, false],
    [{ line: 1, cells: { input: ' ' } }, false],
    [{ line: 1, json: '{"input":null}' }, false],
    [{ line: 1, json: '[]' }, false],
    [{ line: 1, fault: 'the row has 1 cells' }, false],
  ])('%#', (row, isEmpty) => {
    expect(isEmptyRow(row)).toBe(isEmpty);
  });
});

describe('a datapoint of a row', () => {
  it('is Generic by its input', async () => {
    expect(await ofJson({ input: null, other: 1 })).toEqual({ Generic: { input: null } });
    expect(await ofJson({ input: [1], metadata: { a: 1 }, target: 2 })).toEqual({
      Generic: { input: [1], expected_output: 2, metadata: { a: 1 } },
    });
  });

  it('expects the first present of the names', async () => {
    const all = { input: 1, output: 'd', target: 'c', expected: 'b', expected_output: 'a' };
    for (const [name, value] of [
      ['expected_output', 'a'],
      ['expected', 'b'],
      ['target', 'c'],
      ['output', 'd'],
    ] as const) {
      expect(await ofJson(all)).toEqual({ Generic: { input: 1, expected_output: value } });
      delete (all as Record<string, unknown>)[name];
    }
    expect(await ofJson({ input: 1, expected: null, output: 2 })).toEqual({
      Generic: { input: 1, expected_output: null },
    });
  });

  it('is a conversation by its messages, expecting text', async () => {
    const conversation = (more: object) => ({ LlmConversation: { messages, ...more } });
    expect(await ofJson({ messages, input: 1 })).toEqual(conversation({}));
    expect(await ofJson({ messages, expected: 'x' })).toEqual(conversation({ expected: 'x' }));
    expect(await ofJson({ messages, expected: null })).toEqual(conversation({ expected: null }));
    expect(await ofJson({ messages, expected: { a: [1] } })).toEqual(conversation({ expected: '{"a":[1]}' }));
    expect(await ofJson({ messages: null, input: 1 })).toEqual({ Generic: { input: 1 } });
    expect(await ofCells({ messages: JSON.stringify(messages), target: '{ "a": 1 }' })).toEqual(
      conversation({ expected: '{ "a": 1 }' }),
    );
  });

  it('has metadata of columns of their own, beside those of the column of that name', async () => {
    const own = (cells: Record<string, string>) =>
      Object.entries(cells).map(([key, cell]) => ({ column: key, key, cell }));
    const row = (metadata: string | undefined, cells: Record<string, string>) =>
      datapointOfRow(
        { line: 1, cells: { input: 'q', ...(metadata !== undefined && { metadata }) }, metadata: own(cells) },
        500_000,
      );
    expect(await row(undefined, { category: 'legal', level: '2', tags: '["a"]', code: '007' })).toEqual({
      Generic: { input: 'q', metadata: { category: 'legal', level: 2, tags: ['a'], code: '007' } },
    });
    expect(await row('{"a":1,"category":"other"}', { category: 'legal' })).toEqual({
      Generic: { input: 'q', metadata: { a: 1, category: 'legal' } },
    });
    expect(await row('null', { category: 'legal' })).toEqual({
      Generic: { input: 'q', metadata: { category: 'legal' } },
    });
    const kind = (await row(undefined, { ['__proto__']: 'x' })) as { Generic: { metadata: object } };
    expect(Object.entries(kind.Generic.metadata)).toEqual([['__proto__', 'x']]);
    await expect(row('text', { category: 'legal' })).rejects.toThrow(/metadata/);
    const twice = [...own({ a: 'plain' }), { column: 'metadata.a', key: 'a', cell: 'named' }];
    expect(await datapointOfRow({ line: 1, cells: { input: 'q' }, metadata: twice }, 500_000)).toEqual({
      Generic: { input: 'q', metadata: { a: 'named' } },
    });
  });

  it('takes a null cell for no expected text of a conversation', async () => {
    const messages = '[{"role":"user","content":"hi"}]';
    expect(await ofCells({ messages, expected: 'null' })).toMatchObject({ LlmConversation: { expected: null } });
    expect(await ofCells({ messages, expected: 'nullable' })).toMatchObject({
      LlmConversation: { expected: 'nullable' },
    });
  });

  it('takes cells that are JSON as such, strings and everything else as text', async () => {
    for (const [cell, value] of [
      ['{"a": 1}', { a: 1 }],
      ['[1]', [1]],
      ['-1.5', -1.5],
      ['true', true],
      ['null', null],
      ['"quoted"', '"quoted"'],
      ['007', '007'],
      ['{a}', '{a}'],
      ['nullable', 'nullable'],
      ['1e400', '1e400'],
      ['=1+1', '=1+1'],
      [' x ', ' x '],
    ] as const) {
      expect(await ofCells({ input: cell })).toEqual({ Generic: { input: value } });
    }
  });

  it('has numbers as they are written', async () => {
    const written = (kind: unknown): string => JSON.stringify(kind);
    for (const number of ['3.10', '1.50', '1e5', '1E5', '-0', '1.0', '12345678901234567890', '0.1234567890123456789']) {
      const generic = `{"Generic":{"input":${number},"expected_output":${number},"metadata":{"v":[${number}]}}}`;
      const metadata = `{"v":[${number}]}`;
      expect(written(await ofCells({ input: number, target: number, metadata }))).toBe(generic);
      expect(written(await ofJson(`{"input":${number},"target":${number},"metadata":${metadata}}`))).toBe(generic);
      const expected = written(await ofJson(`{"messages":[{"role":"user","content":"hi"}],"expected":${number}}`));
      expect(expected).toContain(`"expected":"${number}"`);
    }
    expect(await ofCells({ input: '1', score: '0.50' })).toEqual({ Generic: { input: 1, score: 0.5 } });
    for (const text of ['00501', '0x1F', '+49', '.5', '5.', 'NaN', 'TRUE', '1e400', '1,5']) {
      expect(await ofCells({ input: text })).toEqual({ Generic: { input: text } });
    }
  });

  it('has what an export wrote, and no score that is none', async () => {
    expect(await ofJson({ input: 1, actual_output: 'a', score: 0.5 })).toEqual({
      Generic: { input: 1, actual_output: 'a', score: 0.5 },
    });
    expect(await ofJson({ input: 1, score: 85 })).toEqual({ Generic: { input: 1 } });
    expect(await ofJson({ input: 1, score: 'good' })).toEqual({ Generic: { input: 1 } });
  });

  it('keeps values exactly', async () => {
    const row = '{"input":{"__proto__":1,"n":12345678901234567890,"nul":"\\u0000\\ud800"}}';
    expect(JSON.stringify(await ofJson(row))).toBe(`{"Generic":${row}}`);
    expect(JSON.stringify(await ofCells({ input: '12345678901234567890' }))).toBe(
      '{"Generic":{"input":12345678901234567890}}',
    );
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  it.each([
    ['7', /a number, not a JSON object/],
    ['[]', /a list, not a JSON object/],
    ['null', /null, not a JSON object/],
    ['"{}"', /a text, not a JSON object/],
    ['false', /true or false, not a JSON object/],
    ['12345678901234567890', /not a JSON object/],
    ['{"input":', /not valid JSON/],
    ['{}', /neither input nor messages/],
    ['{"__proto__":{"input":1}}', /neither input nor messages: it has "__proto__"/],
    ['{"imput":1,"b":2}', /neither input nor messages: it has "imput" \(did you mean input\?\), "b"$/],
    ['{"expected":1}', /neither input nor messages: it has "expected"$/],
    ['{"messages":[]}', /^messages must be a list/],
    ['{"messages":"hi"}', /^messages must be a list/],
    ['{"messages":[{"content":"x"}]}', /^messages\[0\] must be/],
    ['{"input":1,"metadata":5}', /^metadata must be an object/],
    ['{"input":1e400}', /out of range/],
    [`{"input":${nested(JSON_DEPTH_MAX)}}`, /nests deeper/],
    [`{"input":${nested(JSON_DEPTH_MAX - 2)}}`, /nest deeper/],
  ])('is refused in %j', async (json, message) => {
    await expect(ofJson(json)).rejects.toThrow(RowFault);
    await expect(ofJson(json)).rejects.toThrow(message);
  });

  it('is not looked through once more for its levels when it was parsed in pieces', async () => {
    const looksAt = async (inner: string): Promise<number> => {
      const json = `{"input":[${'[[]],'.repeat(40_000)}${inner}]}`;
      const looks = jest.spyOn(Object, 'values');
      try {
        await ofJson(json);
        return looks.mock.calls.length;
      } finally {
        looks.mockRestore();
      }
    };
    expect(await looksAt('[]')).toBeLessThan(10);
    await expect(looksAt(nested(JSON_DEPTH_MAX - 2))).rejects.toThrow(/nest deeper/);
  });

  it('may nest as deep as a request that sends it back', async () => {
    expect(await ofJson(`{"input":${nested(JSON_DEPTH_MAX - 3)}}`)).toHaveProperty('Generic.input');
  });
});
