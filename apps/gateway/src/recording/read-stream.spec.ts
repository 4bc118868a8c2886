import { describe, expect, it } from '@jest/globals';
import type { Endpoint, StreamFrame } from '@spandrel/plugin-api';
import { growth } from '../../../../test/support/growth.js';
import { readStream } from './read-answer.js';

/** The frames of a stream that comes in such pieces. */
function framesOf(
  framing: Endpoint['framing'],
  pieces: readonly (string | Buffer)[],
  tail: readonly string[] = [],
): StreamFrame[] {
  const frames: StreamFrame[] = [];
  const reader = { started: false, ended: false, push: (frame: StreamFrame) => frames.push(frame), answer: () => null };
  const endpoint = { readStream: () => reader } as unknown as Endpoint;
  const buffered = (texts: readonly (string | Buffer)[]) =>
    texts.map((text, at) => ({ data: Buffer.from(text as string), at }));
  const gap = tail.length > 0 ? 'unknown' : 'none';
  readStream(endpoint, framing, { pieces: buffered(pieces), tail: buffered(tail), gap, bytes: 0 });
  return frames;
}

describe('readStream', () => {
  it.each(['\n', '\r\n', '\r'])('reads events whose lines end in %j, wherever pieces end', (end) => {
    const text = [`event: a`, `data: one`, '', 'data: two', 'data: three', '', ''].join(end);
    for (const pieces of [[text], [...text]]) {
      expect(framesOf('sse', pieces)).toEqual([
        { event: 'a', data: 'one' },
        { event: undefined, data: 'two\nthree' },
      ]);
    }
  });

  it.each(['\n\n', '\r\n\r\n'])('goes on behind a gap at the event after %j', (end) => {
    expect(framesOf('sse', [`data: one${end}data: t`], [`wo${end}data: three${end}`])).toEqual([
      { event: undefined, data: 'one' },
      { event: undefined, data: 'three' },
    ]);
  });

  it.each<[framing: Endpoint['framing'], text: string]>([
    ['sse', '\ufeffdata: {"a":1}\n\ndata: \ufeff\n\n'],
    ['ndjson', '\ufeff{"a":1}\n\ufeff\n'],
  ])('passes over a byte order mark at the head alone (%s)', (framing, text) => {
    const bytes = Buffer.from(text);
    for (const pieces of [[bytes], [...bytes].map((byte) => Buffer.from([byte]))]) {
      const frames = framesOf(framing, pieces);
      expect(frames.map(({ data }) => data)).toEqual(framing === 'sse' ? ['{"a":1}', '\ufeff'] : ['{"a":1}']);
    }
  });

  it('reads a field error as an event of that name', () => {
    const text = 'data: one\n\nerror: {"message":"out of memory"}\n\nerrors: x\n\n';
    expect(framesOf('sse', [text])).toEqual([
      { event: undefined, data: 'one' },
      { event: 'error', data: '{"message":"out of memory"}' },
    ]);
  });

  it('reads lines, wherever pieces end, and behind a gap', () => {
    const text = '{"a":1}\n\n{"b":2}\n{"c":3}';
    for (const pieces of [[text], [...text]]) {
      expect(framesOf('ndjson', pieces).map(({ data }) => data)).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
    }
    expect(framesOf('ndjson', ['{"a":1}\n{"b'], ['b', '":2}\n{"c":3}\n']).map(({ data }) => data)).toEqual([
      '{"a":1}',
      '{"c":3}',
    ]);
  });

  it.each<[what: string, framing: Endpoint['framing'], pieces: (size: number) => string[]]>([
    ['no line end', 'sse', (size) => Array<string>(size).fill('x'.repeat(40))],
    ['no line end', 'ndjson', (size) => Array<string>(size).fill('x'.repeat(40))],
    ['lines of two kinds', 'sse', (size) => ['\n'.repeat(10 * size) + '\r\n']],
  ])('takes as long as the stream is, with %s (%s)', (_what, framing, pieces) => {
    const prepare = (size: number) => {
      const stream = pieces(size);
      return () => framesOf(framing, stream);
    };
    // What grows with the square of the stream would take 256 times as long.
    expect(growth(prepare, 4_000, 16, 128)).toBeLessThan(128);
  });
});
