import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import type { FakeAnswer } from './answer.ts';
import { numberOf, type Scenario } from './scenario.ts';

/** What was answered: filled while it is sent, so that tests can compare it with what a client got. */
export class SentAnswer {
  status = 0;
  headers: Record<string, string> = {};
  readonly chunks: Buffer[] = [];
  /** False while it is sent, and for ever when it was cut or the client went away. */
  complete = false;

  /** The bytes of the body as they went out, after encoding. */
  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Sends an answer as the scenario wants it: encoded, late, in pieces, cut off. */
export async function deliver(answer: FakeAnswer, scenario: Scenario, response: ServerResponse, sent: SentAnswer) {
  const headers: Record<string, string> = { 'content-type': answer.contentType, 'x-request-id': 'req_fake0001' };
  const coding = Object.keys(ENCODERS).find((name) => scenario.has(name));
  const chunks = await encode(answer.pieces, coding);
  if (coding !== undefined) headers['content-encoding'] = coding;
  if (!answer.streamed && !scenario.has('split')) headers['content-length'] = String(Buffer.concat(chunks).length);
  if (answer.status === 429) headers['retry-after'] = '0';
  Object.assign(sent, { status: answer.status, headers });

  if (scenario.has('slow')) await delay(numberOf(scenario, 'slow', 200));
  if (scenario.has('early-hints')) response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  const bytes = chunks.flatMap((chunk) => splitAs(scenario, chunk, chunks.length));
  const cutAt = scenario.has('cut') ? numberOf(scenario, 'cut', Math.ceil(bytes.length / 2)) : Infinity;
  for (const [position, chunk] of bytes.entries()) {
    if (position >= cutAt) return void response.socket?.destroy();
    if (response.destroyed) return;
    sent.chunks.push(chunk);
    if (!response.write(chunk)) await drained(response);
    if (scenario.has('slow-stream')) await delay(numberOf(scenario, 'slow-stream', 20));
    else if (scenario.has('split')) await new Promise(setImmediate);
  }
  if (cutAt <= bytes.length) return void response.socket?.destroy();
  response.end();
  sent.complete = true;
}

/** Waits until more may be written, or the client is gone; nothing is left listening. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const either = ['drain', 'close'].map((event) => once(response, event, { signal: over.signal }));
  await Promise.race(either);
  over.abort();
  await Promise.allSettled(either);
}

/** Every byte by itself for `split`; a whole answer that is to be cut goes out in halves. */
function splitAs(scenario: Scenario, chunk: Buffer, chunkCount: number): Buffer[] {
  if (scenario.has('split')) return [...chunk].map((byte) => Buffer.of(byte));
  if (!scenario.has('cut') || chunkCount > 1) return [chunk];
  const half = Math.floor(chunk.length / 2);
  return [chunk.subarray(0, half), chunk.subarray(half)];
}

const ENCODERS = {
  gzip: () => zlib.createGzip(),
  br: () => zlib.createBrotliCompress(),
  zstd: () => zlib.createZstdCompress(),
  deflate: () => zlib.createDeflate(),
};

/** Encodes piece by piece, flushing after each as a streaming server does, so that each can be read at once. */
async function encode(pieces: string[], coding: string | undefined): Promise<Buffer[]> {
  const encoder = coding === undefined ? undefined : ENCODERS[coding as keyof typeof ENCODERS]();
  if (!encoder) return pieces.map((piece) => Buffer.from(piece));
  const chunks: Buffer[] = [];
  let pending: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => pending.push(chunk));
  for (const piece of pieces) {
    encoder.write(piece);
    await new Promise<void>((resolve) => encoder.flush(resolve));
    chunks.push(Buffer.concat(pending));
    pending = [];
  }
  encoder.end();
  await once(encoder, 'end');
  return [...chunks, Buffer.concat(pending)].filter((chunk) => chunk.length > 0);
}
