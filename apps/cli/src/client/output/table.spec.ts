import { describe, expect, it } from '@jest/globals';
import { measureWidth } from './text.js';
import { Table, type Column } from './table.js';

const tableLines = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  room: ConstructorParameters<typeof Table>[1] = {},
): string[] => new Table(columns, room).lines(rows);

interface Row {
  id: string;
  n: number;
  name: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'N', text: ({ n }) => String(n), align: 'right', leaveOut: 1 },
  { title: 'NAME', text: ({ name }) => name, shrinks: true, leaveOut: 2 },
];

const rows: Row[] = [
  { id: 'a1', n: 5, name: 'short' },
  { id: 'b22', n: 1234, name: '東京タワーの高さは何メートルですか' },
];

describe('a table', () => {
  it('is as wide as it is where nobody says how wide it may be', () => {
    expect(tableLines(COLUMNS, rows)).toEqual([
      'ID      N  NAME',
      'a1      5  short',
      'b22  1234  東京タワーの高さは何メートルですか',
    ]);
  });

  it('cuts what may be cut to the terminal, wide characters as two columns', () => {
    const lines = tableLines(COLUMNS, rows, { width: 30 });
    expect(lines[2]).toBe('b22  1234  東京タワーの高さは…');
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(30);
  });

  it('leaves columns out where they have no room, and cuts no id', () => {
    expect(tableLines(COLUMNS, rows, { width: 12 })).toEqual(['ID      N', 'a1      5', 'b22  1234']);
    expect(tableLines(COLUMNS, rows, { width: 2 })).toEqual(['ID', 'a1', 'b22']);
  });

  it('takes the widest first', () => {
    const two: Column<string[]>[] = [0, 1].map((at) => ({ title: `C${at}`, text: (row) => row[at]!, shrinks: true }));
    const [, line] = tableLines(two, [['x'.repeat(12), 'y'.repeat(40)]], { width: 32 });
    expect(line).toBe(`${'x'.repeat(12)}  ${'y'.repeat(17)}…`);
  });

  it('paints what is cut already, so that styles count for nothing', () => {
    const styled: Column<Row>[] = [{ title: 'NAME', text: ({ name }) => name, shrinks: true, style: () => 'red' }];
    const lines = tableLines(styled, rows, { width: 10, paint: (text, style) => `<${style}>${text}</>` });
    expect(lines).toEqual(['<bold>NAME      </>', '<red>short     </>', '<red>東京タワ… </>']);
  });

  it('has its titles once, and later pages in the same columns', () => {
    const table = new Table(COLUMNS);
    expect(table.lines(rows.slice(1))).toHaveLength(2);
    expect(table.lines(rows.slice(0, 1))[0]).toMatch(/^a1 {6} ?5 {2}short$/);
  });

  it('keeps a row on its line', () => {
    const [, line] = tableLines(COLUMNS, [{ id: 'a', n: 1, name: 'two\nlines\u001b[2J' }]);
    expect(line).toBe(String.raw`a   1  two lines\x1b[2J`);
  });
});
