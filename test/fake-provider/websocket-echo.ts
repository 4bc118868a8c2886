import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const OPCODE_TEXT = 1;
const OPCODE_CLOSE = 8;

/** Accepts a WebSocket (RFC 6455) and sends every unfragmented text frame back; enough to test a proxied upgrade. */
export function acceptWebSocketEcho(request: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let received: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let frame = readFrame(received); frame; frame = readFrame(received)) {
      received = received.subarray(frame.bytes);
      if (frame.opcode === OPCODE_TEXT) socket.write(writeFrame(OPCODE_TEXT, frame.payload));
      if (frame.opcode === OPCODE_CLOSE) socket.end(writeFrame(OPCODE_CLOSE, frame.payload));
    }
  });
}

/** The first masked frame of up to 64 KiB; `undefined` while it is not whole. */
function readFrame(received: Buffer): { opcode: number; payload: Buffer; bytes: number } | undefined {
  if (received.length < 6) return undefined;
  const short = received.readUInt8(1) & 0x7f;
  const maskAt = short === 126 ? 4 : 2;
  const length = short === 126 ? received.readUInt16BE(2) : short;
  const bytes = maskAt + 4 + length;
  if (received.length < bytes) return undefined;
  const mask = received.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(received.subarray(maskAt + 4, bytes).map((byte, i) => byte ^ (mask[i % 4] ?? 0)));
  return { opcode: received.readUInt8(0) & 0x0f, payload, bytes };
}

function writeFrame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length]), payload]);
}
