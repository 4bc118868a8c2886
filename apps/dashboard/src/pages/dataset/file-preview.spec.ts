import { describe, expect, it } from '@jest/globals';
import { LOOKED_AT, previewFile } from './file-preview.js';

const preview = (name: string, text: string) => previewFile(name, text, text.length);

describe('the preview of a file', () => {
  it('shows cells of CSV with commas, quotes and line breaks', () => {
    expect(preview('a.CSV', '\ufeffinput,expected\r\n"a, ""b""\nc",1\r\nd\r\n')).toEqual({
      columns: ['input', 'expected'],
      rows: [
        ['a, "b"\nc', '1'],
        ['d', ''],
      ],
      expectedRows: 2,
    });
  });

  it('shows objects of lines and of a list, and passes over what is none', () => {
    const expected = {
      columns: ['input', 'target'],
      rows: [
        ['x', ''],
        ['{"a":1}', '2'],
      ],
      expectedRows: 2,
    };
    expect(preview('a.jsonl', '{"input":"x"}\n\nnot json\n{"input":{"a":1},"target":2}\n')).toEqual(expected);
    expect(preview('a.json', '[{"input":"x"},7,{"input":{"a":1},"target":2}]')).toEqual(expected);
  });

  it('shows the first rows and says about how many there are', () => {
    const line = `${JSON.stringify({ input: 'x'.repeat(50) })}\n`;
    const size = line.length * 10_000;
    const found = previewFile('a.jsonl', line.repeat(10_000).slice(0, LOOKED_AT), size)!;
    expect(found.rows).toHaveLength(5);
    expect(Math.abs(found.expectedRows - 10_000)).toBeLessThan(10);
  });

  it.each([
    ['a.jsonl', ''],
    ['a.csv', '\n'],
    ['a.json', '{"input": '],
  ])('of %s with %j shows nothing', (name, text) => {
    expect(preview(name, text)).toBeNull();
  });
});
