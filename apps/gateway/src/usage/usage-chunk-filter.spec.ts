import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UsageChunkFilter } from './usage-chunk-filter.js';

const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}';
const KEPT = [
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"長崎 🌊"}}],"usage":null}',
  'data: {"choices":[{"index":0,"delta":{"content":"\\"usage\\":{}"}}]}',
  'data: {"choices":[],"prompt_filter_results":[],"usage":null}',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}',
  'data: {"choices":[],"usage":{"prompt_tokens":1}',
  ': a comment with "usage"',
  'event: ping\ndata: "usage"',
  'id: 7',
  'data: [DONE]',
  `data: {"choices":[{"delta":{"content":"${'long '.repeat(3_500)}"}}],"usage":null}`,
  `data: {"choices":[],"usage":{"note":"${'x'.repeat(17_000)}"}}`,
];

/** What comes out of a stream that comes in pieces of these lengths. */
function filtered(stream: Buffer, lengths: readonly number[]): Buffer {
  const filter = new UsageChunkFilter();
  const out: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < stream.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    out.push(filter.push(stream.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat([...out, filter.end()]);
}

describe('UsageChunkFilter', () => {
  it('takes out the chunk with nothing but usage, wherever pieces end, and nothing else', () => {
    const event = fc.tuple(fc.constantFrom(USAGE, ...KEPT), fc.constantFrom('\n', '\r\n', '\r'));
    const lengths = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(event), fc.oneof(lengths, fc.constant([1])), fc.boolean(), (events, pieces, ends) => {
        const text = (list: typeof events): string =>
          list.map(([event, end]) => event.replaceAll('\n', end) + end + end).join('');
        const tail = ends ? '' : 'data: {"choices":[{';
        const stream = Buffer.from(text(events) + tail);
        const expected = text(events.filter(([event]) => event !== USAGE)) + tail;
        expect(filtered(stream, pieces).toString()).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('holds nothing back that is whole', () => {
    const filter = new UsageChunkFilter();
    const first = Buffer.from(`${KEPT[0]}\n\n`);
    expect(filter.push(first).equals(first)).toBe(true);
    expect(filter.push(Buffer.from('data: {"cho')).length).toBe(0);
    expect(filter.push(Buffer.from('ices":[1]}\n\n')).toString()).toBe('data: {"choices":[1]}\n\n');
    expect(filter.push(Buffer.from(`${USAGE}\n\ndata: [DONE]\n\n`)).toString()).toBe('data: [DONE]\n\n');
  });

  it('takes the chunk out where the stream ends without its last blank line, and gives the rest back', () => {
    expect(filtered(Buffer.from(USAGE), [10]).toString()).toBe('');
    expect(filtered(Buffer.from('data: {"choi'), [5]).toString()).toBe('data: {"choi');
  });
});
