import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { linesOf, rowsOf } from './event-batch.js';

/** Any texts on one line, each the JSON of a text. */
const lines = fc.array(
  fc
    .tuple(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.constantFrom(1, 40, 2_000, 20_000))
    .map(([text, times]) => JSON.stringify(text.repeat(times))),
  { minLength: 1, maxLength: 100 },
);
const event = (n: number): string =>
  `{"type":"span_created","span":{"id":"s${n}","name":"a name","kind":{"type":"custom"},"status":"running","ended_at":null}}`;
const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

describe('rows of the event log', () => {
  it('have all lines in order, and numbers without a gap', async () => {
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        const rows = await rowsOf({ projectId: 'p', firstSeq: 7 }, given, 5);
        expect((await Promise.all(rows.map(linesOf))).flat()).toEqual(given);
        expect(rows[0]!.firstSeq).toBe(7);
        expect(rows.at(-1)!.lastSeq).toBe(6 + given.length);
        for (const [index, row] of rows.entries()) {
          if (index > 0) expect(row.firstSeq).toBe(rows[index - 1]!.lastSeq + 1);
          const sent = bytesOf(given.slice(row.firstSeq - 7, row.lastSeq - 6));
          expect(sent <= 64 * 1024 || row.firstSeq === row.lastSeq).toBe(true);
          expect(row.sentLength ?? sent).toBe(sent);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('of many short events take a fraction of their text', async () => {
    const texts = Array.from({ length: 200 }, (_, n) => event(n));
    const rows = await rowsOf({ projectId: 'p', firstSeq: 1 }, texts, 5);
    const kept = rows.reduce((sum, row) => sum + row.lines.length + (row.packed?.length ?? 0), 0);
    expect(kept).toBeLessThan(bytesOf(texts) / 9);
  });

  it('of few events are text: packing costs more than it saves', async () => {
    const [row] = await rowsOf({ projectId: 'p', firstSeq: 1 }, [event(1), event(2)], 5);
    expect(row).toMatchObject({ lines: [event(1), event(2)].join('\n'), packed: null, sentLength: null });
  });
});
