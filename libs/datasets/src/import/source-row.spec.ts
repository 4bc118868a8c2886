import { describe, expect, it } from '@jest/globals';
import { datapointOfRow } from './datapoint-of-row.js';
import { ImportedColumns } from './source-row.js';

async function ofRows(...rows: unknown[]) {
  const columns = new ImportedColumns();
  for (const row of rows) await datapointOfRow({ line: 1, json: JSON.stringify(row) }, 500_000, columns);
  return columns.answer();
}

const messages = [{ role: 'user', content: 'hi' }];

describe('the columns of an import', () => {
  it('are used, ignored and counted as each row has them', async () => {
    expect(
      await ofRows(
        { input: 1, expected: 'a', output: 'b', score: 0.5 },
        { input: 2, expected: null, score: 85, metadata: {} },
        { messages, output: 'c', input: 3, score: 1 },
        { messages, metadata: {} },
      ),
    ).toEqual({
      columns_used: [
        { column: 'input', member: 'input', rows: 2 },
        { column: 'expected', member: 'expected_output', rows: 2 },
        { column: 'score', member: 'score', rows: 1 },
        { column: 'metadata', member: 'metadata', rows: 2 },
        { column: 'messages', member: 'messages', rows: 2 },
        { column: 'output', member: 'expected', rows: 1 },
      ],
      columns_ignored: [
        { column: 'output', rows: 1 },
        { column: 'score', rows: 2 },
        { column: 'input', rows: 1 },
      ],
      without_expected_count: 2,
      hint: expect.stringMatching(/^2 rows have no expected value, .* target or output$/),
    });
  });

  it('leave no hint when every row has an expected value', async () => {
    expect(await ofRows({ input: 1, target: 0, more: 1 })).toEqual({
      columns_used: [
        { column: 'input', member: 'input', rows: 1 },
        { column: 'target', member: 'expected_output', rows: 1 },
      ],
      columns_ignored: [{ column: 'more', rows: 1 }],
      without_expected_count: 0,
    });
  });

  it('say what became metadata, and what another column of its name left out', async () => {
    const columns = new ImportedColumns();
    const metadata = [
      { column: 'topic', key: 'topic', cell: 'law' },
      { column: 'lang', key: 'lang', cell: 'de' },
      { column: 'metadata.lang', key: 'lang', cell: 'en' },
    ];
    await datapointOfRow({ line: 2, cells: { input: 'q' }, metadata, others: [''] }, 500_000, columns);
    expect(columns.answer()).toEqual({
      columns_used: [
        { column: 'input', member: 'input', rows: 1 },
        { column: 'topic', member: 'metadata.topic', rows: 1 },
        { column: 'metadata.lang', member: 'metadata.lang', rows: 1 },
      ],
      columns_ignored: [
        { column: 'lang', rows: 1 },
        { column: '', rows: 1 },
      ],
      without_expected_count: 1,
      hint: expect.stringMatching(/; ignored: "lang", ""; kept as metadata: "topic", "metadata.lang"$/),
    });
    const many = Array.from({ length: 500 }, (_, n) => ({ column: `c${n}`, key: `c${n}`, cell: '1' }));
    await datapointOfRow({ line: 3, cells: { input: 'q', target: 'a' }, metadata: many }, 500_000, columns);
    expect(columns.answer().columns_used).toHaveLength(100);
  });

  it('take no more memory than a hundred names do', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ input: n, [`${n}${'x'.repeat(1_000)}`]: 1 }));
    const { columns_ignored: ignored } = await ofRows(...rows);
    expect(ignored).toHaveLength(100);
    expect(ignored[0]).toEqual({ column: `0${'x'.repeat(127)}…`, rows: 1 });
  });

  it('are not counted of a row that is refused', async () => {
    const columns = new ImportedColumns();
    await expect(datapointOfRow({ line: 1, json: '{"input":1,"metadata":5}' }, 500_000, columns)).rejects.toThrow(
      /metadata/,
    );
    expect(columns.answer()).toEqual({ columns_used: [], columns_ignored: [], without_expected_count: 0 });
  });
});
