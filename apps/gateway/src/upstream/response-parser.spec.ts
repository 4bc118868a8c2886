import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ParsedHead } from './response-head.js';
import { ResponseParser } from './response-parser.js';

/** What a parser finds in pieces of a stream, bodies joined. */
function parse(pieces: Buffer[], method = 'GET', close = false): unknown[] {
  const found: unknown[] = [];
  let body = '';
  const parser = new ResponseParser({
    onParsedInformation: ({ status, headers }: ParsedHead) => found.push(['information', status, headers]),
    onParsedHead: ({ status, statusMessage, headers, framing, keepAlive }: ParsedHead) =>
      found.push(['head', status, statusMessage, headers, framing, keepAlive]),
    onParsedData: (chunk) => (body += chunk.toString('latin1')),
    onParsedEnd: (trailers) => found.push(['end', body, trailers]),
  });
  parser.expect(method);
  for (const piece of pieces) parser.push(Buffer.from(piece));
  if (close) found.push(['close', parser.close()]);
  return found;
}

const STREAMS: [name: string, text: string, method: string, close: boolean][] = [
  ['a length', 'HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 5\r\n\r\nhello', 'GET', false],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n',
    'GET',
    false,
  ],
  [
    'trailers',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: 1\r\nY:  2 \r\n\r\n',
    'GET',
    false,
  ],
  ['early hints', 'HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\nHTTP/1.1 204 \r\nB: 2\r\n\r\n', 'GET', false],
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n', 'HEAD', false],
  ['until the close', 'HTTP/1.0 200 OK\r\n\r\nall the rest', 'GET', true],
  ['cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nonly this', 'GET', true],
];

describe('an answer in pieces', () => {
  it.each(STREAMS)('reads the same however it is cut: %s', (_name, text, method, close) => {
    const bytes = Buffer.from(text, 'latin1');
    const whole = parse([bytes], method, close);
    for (let at = 1; at < bytes.length; at++) {
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)], method, close)).toEqual(whole);
    }
    expect(
      parse(
        [...bytes].map((byte) => Buffer.from([byte])),
        method,
        close,
      ),
    ).toEqual(whole);
  });

  it('hands over chunks that come together as one', () => {
    const bodies: string[] = [];
    const ignore = (): void => undefined;
    const onParsedData = (body: Buffer): void => void bodies.push(body.toString('latin1'));
    const parser = new ResponseParser({
      ...{ onParsedInformation: ignore, onParsedHead: ignore, onParsedEnd: ignore },
      onParsedData,
    });
    parser.expect('GET');
    parser.push(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'));
    parser.push(Buffer.from([...'abcde'].map((byte) => `1\r\n${byte}\r\n`).join('')));
    const long = 'x'.repeat(10_000);
    parser.push(Buffer.from(`1\r\nf\r\n${long.length.toString(16)}\r\n${long}\r\n1\r\ng\r\n0\r\n\r\n`));
    expect(bodies).toEqual(['abcde', `f${long}g`]);
  });

  it('reads back any body in any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
        (chunks, cuts) => {
          const parts = chunks.flatMap((chunk) => [
            Buffer.from(`${chunk.length.toString(16)}\r\n`),
            Buffer.from(chunk),
            Buffer.from('\r\n'),
          ]);
          const bytes = Buffer.concat([
            Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
            ...parts,
            Buffer.from('0\r\n\r\n'),
          ]);
          const pieces: Buffer[] = [];
          for (let at = 0; at < bytes.length;) {
            const length = cuts.next().value as number;
            pieces.push(bytes.subarray(at, at + length));
            at += length;
          }
          expect(parse(pieces).at(-1)).toEqual(['end', Buffer.concat(chunks).toString('latin1'), []]);
        },
      ),
    );
  });

  it.each([
    ['a length beside chunks', 'Content-Length: 1\r\nA: b\r\nTransfer-Encoding: chunked', 'chunked', []],
    ['a length twice', 'Content-Length: 0, 0\r\nA: b\r\ncontent-length: 0', 'length', ['Content-Length', '0']],
  ])('passes on %s as one way to end', (_name, headers, framing, length) => {
    const kept = framing === 'chunked' ? [...length, 'A', 'b', 'Transfer-Encoding', 'chunked'] : [...length, 'A', 'b'];
    const body = framing === 'chunked' ? '0\r\n\r\n' : '';
    expect(parse([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`)])).toEqual([
      ['head', 200, 'OK', kept, framing, framing === 'length'],
      ['end', '', []],
    ]);
  });

  it.each([
    ['bytes after the end', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
    ['lengths in a list that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a signed length', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n'],
    ['another transfer encoding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nA: 1\nB: 2\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: 1\r\n 2\r\n\r\n'],
    ['a blank before the colon', 'HTTP/1.1 200 OK\r\nA : 1\r\n\r\n'],
    ['a NUL', 'HTTP/1.1 200 OK\r\nA: \0\r\n\r\n'],
    ['no HTTP', 'SSH-2.0\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n'],
    ['a chunk longer than it says', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['a chunk of absurd size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n'],
    ['an unasked upgrade', 'HTTP/1.1 101 Switching\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'A: 1\r\n'.repeat(60_000)}`],
  ])('refuses %s', (_name, text) => {
    expect(() => parse([Buffer.from(text, 'latin1')])).toThrow(/upstream/);
  });
});
