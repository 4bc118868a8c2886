import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WebSocketMessages } from './recorded-websocket.js';

const [TEXT, BINARY, PING] = [1, 2, 9];
const FINAL = 0x80;

/** A frame of RFC 6455. */
function frame(
  opcode: number,
  payload: Buffer,
  { isFinal = true, mask }: { isFinal?: boolean; mask?: Buffer } = {},
): Buffer {
  const { length } = payload;
  const marked = mask ? 0x80 : 0;
  const size =
    length < 126
      ? Buffer.from([marked | length])
      : length < 65_536
        ? Buffer.from([marked | 126, length >> 8, length & 0xff])
        : Buffer.concat([Buffer.from([marked | 127, 0, 0, 0, 0]), Buffer.from(Uint32Array.of(length).buffer).swap32()]);
  const body = mask ? Buffer.from(payload.map((byte, at) => byte ^ mask[at % 4]!)) : payload;
  return Buffer.concat([Buffer.from([(isFinal ? FINAL : 0) | opcode]), size, mask ?? Buffer.alloc(0), body]);
}

/** The texts that are read of bytes that come in such pieces. */
function textsOf(bytes: Buffer, pieceBytes: number): string[] {
  const texts: string[] = [];
  let pieces: Buffer[] = [];
  const messages = new WebSocketMessages({
    begin: () => (pieces = []),
    piece: (data) => pieces.push(Buffer.from(data)),
    end: () => texts.push(Buffer.concat(pieces).toString()),
  });
  for (let at = 0; at < bytes.length; at += pieceBytes) messages.push(bytes.subarray(at, at + pieceBytes));
  return texts;
}

describe('the messages of a WebSocket', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
    'are read with %i bytes, masked or not, wherever pieces end',
    (length) => {
      const payload = Buffer.alloc(length, 'grüße ');
      for (const mask of [undefined, Buffer.from([1, 200, 3, 77])]) {
        const bytes = Buffer.concat([
          frame(TEXT, payload, { ...(mask && { mask }) }),
          frame(TEXT, Buffer.from('next')),
        ]);
        for (const pieceBytes of [bytes.length, 1_000, ...(length < 1_000 ? [1, 3] : [])]) {
          expect(textsOf(bytes, pieceBytes)).toEqual([payload.toString(), 'next']);
        }
      }
    },
  );

  it('are texts alone, put together of their frames, between which control frames stand', () => {
    const bytes = Buffer.concat([
      frame(TEXT, Buffer.from('one '), { isFinal: false }),
      frame(PING, Buffer.from('ping')),
      frame(0, Buffer.from('two'), { mask: Buffer.from([9, 8, 7, 6]) }),
      frame(BINARY, Buffer.from('binary')),
      frame(TEXT, Buffer.alloc(0)),
    ]);
    expect(textsOf(bytes, 2)).toEqual(['one two', '']);
  });

  it('end with a frame that an extension has changed', () => {
    const compressed = frame(TEXT, Buffer.from('x'));
    compressed[0]! |= 0x40;
    expect(
      textsOf(Buffer.concat([frame(TEXT, Buffer.from('one')), compressed, frame(TEXT, Buffer.from('two'))]), 100),
    ).toEqual(['one']);
  });

  it('are read of any bytes without a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, pieceBytes) => {
        textsOf(Buffer.from(bytes), pieceBytes);
      }),
    );
  });
});
