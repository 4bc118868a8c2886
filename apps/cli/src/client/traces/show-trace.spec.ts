import { describe, expect, it } from '@jest/globals';
import { spanTree } from './show-trace.js';

const span = (id: string, parent_id: string | null = null) => ({ id, parent_id });
const drawn = (rows: ReturnType<typeof spanTree>) => rows.map(({ branch, span: { id } }) => branch + id);

describe('the tree of a trace', () => {
  it('has spans below their parents, in the order that they came in', () => {
    const spans = [span('a'), span('b', 'a'), span('c', 'b'), span('d', 'a'), span('e'), span('f', 'd')];
    expect(drawn(spanTree(spans))).toEqual(['a', '├─ b', '│  └─ c', '└─ d', '   └─ f', 'e']);
    expect(spanTree(spans)[1]!.below).toBe('│  ');
  });

  it('leaves nothing out: not those without their parent, not those in a circle', () => {
    expect(drawn(spanTree([span('a', 'gone'), span('b', 'a')]))).toEqual(['a', '└─ b']);
    expect(drawn(spanTree([span('a', 'b'), span('b', 'a'), span('c', 'c')]))).toEqual(['a', '└─ b', 'c']);
  });

  it('says how many are deeper than was asked for', () => {
    const spans = [span('a'), span('b', 'a'), span('c', 'b'), span('d', 'c'), span('e', 'a')];
    expect(spanTree(spans, 2).map(({ span: { id }, hidden }) => [id, hidden])).toEqual([
      ['a', 0],
      ['b', 2],
      ['e', 0],
    ]);
  });

  it('draws a chain of ten thousand, and no branch wider than a line', () => {
    const spans = Array.from({ length: 10_000 }, (_, at) => span(`${at}`, at === 0 ? null : `${at - 1}`));
    const rows = spanTree(spans);
    expect(rows).toHaveLength(10_000);
    expect(Math.max(...rows.map(({ branch }) => branch.length))).toBeLessThan(80);
    expect(rows.at(-1)!.level).toBe(9_999);
  });
});
