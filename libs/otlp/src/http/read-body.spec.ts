import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BODY_BYTES,
  BYTES,
  decoded,
  jsonOf,
  JSON_BODY,
  JSON_TYPE,
  OtlpApp,
  PROTOBUF,
  spansInProtobuf,
} from '../../fixtures/otlp-app.js';
import { otlpType } from '../../fixtures/otlp-schema.js';

let app: OtlpApp;
beforeAll(async () => void (app = await OtlpApp.start('local')));
afterAll(() => app.close());
beforeEach(() => app.kept.clear());

describe('the encodings', () => {
  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Uint8Array) => Buffer.from(bytes)],
    ['GZIP', gzipSync],
  ])('takes %s, and refuses it cut off', async (coding, pack) => {
    const whole = pack(BYTES);
    const headers = { ...PROTOBUF, 'content-encoding': coding };
    expect((await app.post(whole, headers)).status).toBe(200);
    expect(app.kept.spans).toHaveLength(1);
    const cut = await app.post(whole.subarray(0, whole.length - 4), headers);
    expect(cut.status).toBe(400);
    expect(decoded('RpcStatus', cut)).toMatchObject({ code: 3 });
  });

  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('stops unpacking %s at the limit', async (coding, pack) => {
    const bomb = pack(Buffer.alloc(5_000_000));
    expect(bomb.length).toBeLessThan(BODY_BYTES);
    const answer = await app.post(bomb, { ...PROTOBUF, 'content-encoding': coding });
    expect(answer.status).toBe(413);
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 8 });
  });

  it('refuses bodies beyond the limit, other codings and other media types', async () => {
    expect((await app.post(new Uint8Array(BODY_BYTES + 1))).status).toBe(413);
    const coding = await app.post(BYTES, { ...PROTOBUF, 'content-encoding': 'compress' });
    expect([coding.status, coding.headers.get('accept-encoding')]).toEqual([415, 'gzip, zstd, deflate, br']);
    const media = await app.post('a=b', { 'content-type': 'text/plain' });
    expect([media.status, media.headers.get('content-type')]).toEqual([415, 'application/json']);
    expect(jsonOf(media)).toMatchObject({ code: 3 });
    expect((await app.post(Buffer.from('no gzip'), { ...PROTOBUF, 'content-encoding': 'gzip' })).status).toBe(400);
  });

  it.each(['', 'Content-Encoding: gzip\r\n'])(
    'refuses a body by its length, before any of it has come: %j',
    async (coding) => {
      const socket = connect(app.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('latin1').on('data', (data) => (text += data));
      socket.write(`POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n${coding}`);
      socket.write(`Content-Length: ${BODY_BYTES + 1}\r\n\r\n`);
      await once(socket, 'end');
      expect(text).toMatch(/^HTTP\/1\.1 413 [^]*connection: close[^]*limits\.otlp_bytes/i);
      socket.destroy();
    },
  );

  it('takes JSON, and answers in JSON', async () => {
    const answer = await app.post(JSON_BODY, JSON_TYPE);
    expect([answer.status, answer.body.toString()]).toEqual([200, '{}']);
    expect(app.kept.spans).toMatchObject([{ name: 'a span', trace_id: '01'.repeat(16) }]);
    const refused = await app.post('{"resourceSpans": 5}', JSON_TYPE);
    expect(refused.status).toBe(400);
    const message = expect.stringContaining('resourceSpans must be a list');
    expect(jsonOf(refused)).toEqual({
      code: 3,
      message,
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: '', description: message }],
        },
      ],
    });
  });

  it('says what is wrong with protobuf in a BadRequest', async () => {
    const answer = await app.post(Buffer.from([0x0a, 5]));
    expect(answer.status).toBe(400);
    const { details } = decoded('RpcStatus', answer) as {
      details: { type_url?: string; typeUrl?: string; value: Uint8Array }[];
    };
    expect(details[0]!.typeUrl).toBe('type.googleapis.com/google.rpc.BadRequest');
    expect(otlpType('BadRequest').decode(details[0]!.value)).toMatchObject({
      fieldViolations: [{ description: expect.stringContaining('a length beyond its message') }],
    });
  });

  it('refuses more items than allowed', async () => {
    const answer = await app.post(spansInProtobuf(1_001, {}));
    expect([answer.status, decoded('RpcStatus', answer)['code']]).toEqual([413, 8]);
    expect(app.kept.spans).toEqual([]);
  });
});
