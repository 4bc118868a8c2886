import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineBuffer } from './line-buffer.js';

describe('LineBuffer', () => {
  it('gives back whole lines in their order, in chunks no longer than asked for', () => {
    const buffer = new LineBuffer(1_000, 10);
    for (const line of ['abc\n', 'de\n', 'fghi\n', 'a line that is longer\n', 'j\n']) buffer.add(line);
    const chunks: string[] = [];
    for (let chunk = buffer.next(); chunk; chunk = buffer.next()) {
      chunks.push(chunk.toString());
      buffer.took(chunk.length);
    }
    expect(chunks).toEqual(['abc\nde\n', 'fghi\n', 'a line that is longer\n', 'j\n']);
    expect([buffer.bytes, buffer.dropped]).toEqual([0, 0]);
  });

  it('counts every line that it drops, one that was written in part too', () => {
    const buffer = new LineBuffer(10, 100);
    buffer.add('12345\n');
    buffer.add('123\n');
    buffer.add('x\n');
    expect([buffer.bytes, buffer.dropped]).toEqual([10, 1]);
    buffer.next();
    buffer.took(8);
    buffer.dropAll();
    expect([buffer.bytes, buffer.dropped, buffer.next()]).toEqual([0, 2, undefined]);
  });

  it('never holds more than its bound, loses no byte of what fits, and counts exactly', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: fc.string({ unit: 'grapheme', maxLength: 30 }) }) },
      fc.record({ take: fc.integer({ min: 0, max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const buffer = new LineBuffer(200, 32);
        let [added, taken, dropped] = ['', Buffer.alloc(0), 0];
        for (const each of steps) {
          if ('add' in each) {
            const line = `${JSON.stringify(each.add)}\n`;
            if (buffer.bytes + Buffer.byteLength(line) > 200) dropped++;
            else added += line;
            buffer.add(line);
          } else {
            const bytes = buffer.next();
            if (!bytes) continue;
            const count = Math.min(each.take, bytes.length);
            taken = Buffer.concat([taken, bytes.subarray(0, count)]);
            buffer.took(count);
          }
          expect(buffer.bytes).toBeLessThanOrEqual(200);
          expect(buffer.dropped).toBe(dropped);
        }
        for (let bytes = buffer.next(); bytes; bytes = buffer.next()) {
          taken = Buffer.concat([taken, bytes]);
          buffer.took(bytes.length);
        }
        expect(taken.toString()).toBe(Buffer.from(added).toString());
      }),
      { seed: 11 },
    );
  });
});
