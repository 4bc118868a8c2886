import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { linesOf, rowsOf, type LoggedLine } from './event-rows.js';

/** Any texts on one line, each the JSON of a text, and their lengths as they are sent. */
const lines = fc.array(
  fc.record({
    line: fc
      .tuple(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.constantFrom(1, 40, 2_000))
      .map(([text, times]) => JSON.stringify(text.repeat(times))),
    added: fc.constantFrom(0, 0, 700, 70_000),
  }),
  { minLength: 1, maxLength: 300 },
);
const logged = (texts: readonly string[], bytes = (line: string): number => Buffer.byteLength(line)): LoggedLine[] =>
  texts.map((line) => ({ line, bytes: bytes(line) }));
/** What an event of a span is, without its texts. */
const event = (n: number): string =>
  `{"type":"span_created","span":{"id":"s${n}","name":"a name","kind":{"type":"custom"},"status":"running","ended_at":null}}`;
const bytesOf = (rows: readonly { lines: string; packed: Uint8Array | null }[]): number =>
  rows.reduce((sum, row) => sum + row.lines.length + (row.packed?.length ?? 0), 0);

describe('rows of the event log', () => {
  it('have all lines in order, and numbers without a gap', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const wanted = given.map(({ line, added }) => ({ line, bytes: Buffer.byteLength(line) + added }));
        const rows = rowsOf({ projectId: 'p', firstSeq: 7 }, wanted, 5);
        expect(rows.flatMap(linesOf)).toEqual(wanted.map(({ line }) => line));
        expect(rows[0]!.firstSeq).toBe(7);
        expect(rows.at(-1)!.lastSeq).toBe(6 + wanted.length);
        for (const [index, row] of rows.entries()) {
          if (index > 0) expect(row.firstSeq).toBe(rows[index - 1]!.lastSeq + 1);
          const sent = wanted.slice(row.firstSeq - 7, row.lastSeq - 6).reduce((sum, { bytes }) => sum + bytes, 0);
          expect(sent <= 64 * 1024 || row.firstSeq === row.lastSeq).toBe(true);
          expect(row.sentLength ?? sent).toBe(sent);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('of many short events take a fraction of their text', () => {
    const texts = Array.from({ length: 200 }, (_, n) => event(n));
    const rows = rowsOf({ projectId: 'p', firstSeq: 1 }, logged(texts), 5);
    expect(rows.flatMap(linesOf)).toEqual(texts);
    expect(bytesOf(rows)).toBeLessThan(texts.join('\n').length / 9);
  });

  it('of few events, and of long ones, are not packed: it would cost more than it saves', () => {
    for (const texts of [[event(1), event(2)], Array.from({ length: 20 }, () => JSON.stringify('x'.repeat(1_500)))]) {
      const rows = rowsOf({ projectId: 'p', firstSeq: 1 }, logged(texts), 5);
      expect(rows.map(({ packed, sentLength }) => [packed, sentLength])).toEqual([[null, null]]);
    }
  });

  it('hold as many bytes of texts whose characters take three', () => {
    const rows = rowsOf(
      { projectId: 'p', firstSeq: 1 },
      logged(Array.from({ length: 40 }, () => '"' + '潮'.repeat(2_000) + '"')),
      5,
    );
    const bytes = rows.map((row) => Buffer.byteLength(linesOf(row).join('')));
    expect(bytes.reduce((sum, each) => sum + each)).toBe(40 * 6_002);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(32 * 1_024);
    expect(rows.map(({ sentLength }) => sentLength)).toEqual(rows.map(() => null));
  });

  it('say how many bytes events are as they are sent', () => {
    const sent = rowsOf(
      { projectId: 'p', firstSeq: 1 },
      logged([event(1), event(2)], () => 10_000),
      5,
    );
    expect(sent.map(({ sentLength }) => sentLength)).toEqual([20_000]);
  });
});
