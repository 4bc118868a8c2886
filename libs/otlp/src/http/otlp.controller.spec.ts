import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createHttpApp,
  createLogger,
  defineFeature,
  DomainError,
  GATEKEEPER,
  LOCAL_SCOPE,
  loadSettings,
  Unavailable,
  type Caller,
  type Gatekeeper,
} from '@spandrel/kernel';
import type { OtelSpan } from '@spandrel/plugin-api';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { OtlpSettings } from '../otlp.settings.js';
import { encodeOtlp, otlpType } from '../testing/otlp-schema.js';
import { WriteExport, type Rejection, type WrittenExport } from '../write-export.js';
import { OtlpController } from './otlp.controller.js';
import { TakeExport } from './take-export.js';

/** Keeps what would be stored, and rejects as it is told. */
class KeptExports extends WriteExport {
  spans: OtelSpan[] = [];
  records: OtelLogRecord[] = [];
  rejected: Rejection[] = [];
  fault: Error | null = null;

  async writeSpans(_scope: unknown, spans: readonly OtelSpan[]): Promise<WrittenExport> {
    if (this.fault) throw this.fault;
    this.spans.push(...spans);
    return { rejected: this.rejected };
  }

  async writeLogs(_scope: unknown, records: readonly OtelLogRecord[]): Promise<WrittenExport> {
    this.records.push(...records);
    return { rejected: this.rejected };
  }
}

/** Knows one key, and one that may not write. */
const gatekeeper: Gatekeeper = {
  authenticate: (credential): Caller => {
    if (credential !== 'the-key' && credential !== 'read-key') throw new DomainError('unauthenticated', 'not valid');
    const permissions = credential === 'the-key' ? (['ingest'] as const) : (['read'] as const);
    return { kind: 'api_key', id: 'k', scope: LOCAL_SCOPE, permissions, expiresAt: null };
  },
  admit: () => undefined,
};

const kept = new KeptExports();
const BODY_BYTES = 100_000;

@Module({
  controllers: [OtlpController],
  providers: [TakeExport, { provide: WriteExport, useValue: kept }, { provide: GATEKEEPER, useValue: gatekeeper }],
  exports: [GATEKEEPER],
})
class OtlpTestModule {}

async function startApp(mode: 'local' | 'cloud'): Promise<NestFastifyApplication> {
  const settings = loadSettings([OtlpSettings], { args: [], env: {}, cwd: '/' });
  settings.core.mode = mode;
  const otlp = settings.of(OtlpSettings);
  Object.assign(otlp, { bodyBytes: BODY_BYTES, itemsMax: 1_000, decodeBytes: 3 * BODY_BYTES });
  const app = await createHttpApp({
    settings,
    plugins: { providers: [], scorers: [], searchIndexes: [], dialects: [] },
    logger: createLogger('silent', 'test'),
    features: [
      defineFeature({
        name: 'otlp',
        module: OtlpTestModule,
        entities: [],
        requires: [],
        settings: [OtlpSettings],
      }),
    ],
    modules: [],
  });
  await app.listen(0, '127.0.0.1');
  return app;
}

let local: NestFastifyApplication;
let cloud: NestFastifyApplication;
beforeAll(async () => {
  local = await startApp('local');
  cloud = await startApp('cloud');
});
afterAll(() => Promise.all([local.close(), cloud.close()]));
beforeEach(() => void Object.assign(kept, { spans: [], records: [], rejected: [], fault: null }));

interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

const portOf = (app: NestFastifyApplication): number => (app.getHttpServer().address() as { port: number }).port;

async function call(path: string, init: RequestInit = {}, app = local): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${portOf(app)}${path}`, { method: 'POST', ...init });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const SPAN = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), name: 'a span' };
const request = (spans: object[] = [SPAN]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const BYTES = new Uint8Array(encodeOtlp('ExportTraceServiceRequest', request()));
const JSON_BODY = JSON.stringify(request([{ ...SPAN, traceId: '01'.repeat(16), spanId: '02'.repeat(8) }]));

const post = (
  body: Uint8Array<ArrayBuffer> | string = BYTES,
  headers: Record<string, string> = PROTOBUF,
  path = '/v1/traces',
): Promise<Answer> => call(path, { body, headers });
const packed = (bytes: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

/** A message of an answer in protobuf. */
function decoded(type: string, { body }: Answer): Record<string, unknown> {
  const message = otlpType(type);
  return message.toObject(message.decode(body), { longs: Number }) as Record<string, unknown>;
}
const jsonOf = ({ body }: Answer): Record<string, unknown> => JSON.parse(body.toString()) as Record<string, unknown>;

describe('the paths', () => {
  it.each(['/v1/traces', '/api/otel/v1/traces', '/api/public/otel/v1/traces', '/otel/v1/traces'])(
    '%s takes spans, also with a slash and a query',
    async (path) => {
      for (const end of ['', '/', '?a=b', '/?a=b&a=c']) {
        const { status, body, headers } = await post(BYTES, PROTOBUF, path + end);
        expect({ status, bytes: body.length, type: headers.get('content-type') }).toEqual({
          status: 200,
          bytes: 0,
          type: 'application/x-protobuf',
        });
        expect(headers.get('x-request-id')).not.toBeNull();
      }
      expect(kept.spans.map(({ name }) => name)).toEqual(Array(4).fill('a span'));
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused with Allow: POST', async (method) => {
    const answer = await call('/v1/traces', { method, headers: PROTOBUF });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 12 });
  });

  it('refuses a foreign Origin in the encoding of the request', async () => {
    const answer = await post(BYTES, { ...PROTOBUF, origin: 'https://elsewhere.example' });
    expect(answer.status).toBe(403);
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 7 });
  });
});

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
    expect((await post(packed(whole), headers)).status).toBe(200);
    expect(kept.spans).toHaveLength(1);
    const cut = await post(packed(whole.subarray(0, whole.length - 4)), headers);
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
    const answer = await post(packed(bomb), { ...PROTOBUF, 'content-encoding': coding });
    expect(answer.status).toBe(413);
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 8 });
  });

  it('refuses bodies beyond the limit, other codings and other media types', async () => {
    expect((await post(new Uint8Array(BODY_BYTES + 1))).status).toBe(413);
    const coding = await post(BYTES, { ...PROTOBUF, 'content-encoding': 'compress' });
    expect([coding.status, coding.headers.get('accept-encoding')]).toEqual([415, 'gzip, zstd, deflate, br']);
    const media = await post('a=b', { 'content-type': 'text/plain' });
    expect([media.status, media.headers.get('content-type')]).toEqual([415, 'application/json']);
    expect(jsonOf(media)).toMatchObject({ code: 3 });
    expect((await post(packed(Buffer.from('no gzip')), { ...PROTOBUF, 'content-encoding': 'gzip' })).status).toBe(400);
  });

  it('takes JSON, and answers in JSON', async () => {
    const answer = await post(JSON_BODY, JSON_TYPE);
    expect([answer.status, answer.body.toString()]).toEqual([200, '{}']);
    expect(kept.spans).toMatchObject([{ name: 'a span', traceId: '01'.repeat(16) }]);
    const refused = await post('{"resourceSpans": 5}', JSON_TYPE);
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
    const answer = await post(packed(Buffer.from([0x0a, 5])));
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
    const answer = await post(
      new Uint8Array(encodeOtlp('ExportTraceServiceRequest', request(Array.from({ length: 1_001 }, () => ({}))))),
    );
    expect([answer.status, decoded('RpcStatus', answer)['code']]).toEqual([413, 8]);
    expect(kept.spans).toEqual([]);
  });
});

describe('the answers', () => {
  const REJECTED = [
    { reason: 'the trace id is not 32 hex digits', count: 2, firstSpanId: 'ab' },
    { reason: 'it has neither start nor end', count: 1, firstSpanId: '' },
  ];
  const MESSAGE = 'the trace id is not 32 hex digits (2, first span ab); it has neither start nor end (1)';
  const four = request([SPAN, SPAN, SPAN, SPAN]);

  it('count the spans that were left out, and say why', async () => {
    kept.rejected = REJECTED;
    const inProtobuf = await post(new Uint8Array(encodeOtlp('ExportTraceServiceRequest', four)));
    expect([inProtobuf.status, decoded('ExportServiceResponse', inProtobuf)]).toEqual([
      200,
      { partialSuccess: { rejected: 3, errorMessage: MESSAGE } },
    ]);
    const text = JSON.stringify(request([{}, {}, {}, {}]));
    expect(jsonOf(await post(text, JSON_TYPE))).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: MESSAGE },
    });
  });

  it('are 400 when not one span can be kept, 200 when there is none', async () => {
    kept.rejected = [{ reason: 'the span id is missing', count: 1, firstSpanId: '' }];
    const answer = await post();
    expect([answer.status, decoded('RpcStatus', answer)['message']]).toEqual([
      400,
      'no span of the export can be kept: the span id is missing (1)',
    ]);
    expect((await post(new Uint8Array())).status).toBe(200);
    expect((await post('{}', JSON_TYPE)).status).toBe(200);
  });

  it('are 503 with Retry-After while the database is gone, 500 for what nobody foresaw', async () => {
    kept.fault = new Unavailable('the database does not answer');
    const gone = await post();
    expect([gone.status, gone.headers.get('retry-after'), decoded('RpcStatus', gone)['code']]).toEqual([503, '1', 14]);
    kept.fault = new Error('a secret');
    const bug = await post(JSON_BODY, JSON_TYPE);
    expect([bug.status, jsonOf(bug)['code'], bug.body.includes('secret')]).toEqual([500, 13, false]);
  });

  it('say that logs and metrics do not belong to the path of spans', async () => {
    kept.rejected = [{ reason: 'the span id is missing', count: 1, firstSpanId: '' }];
    const logs = encodeOtlp('ExportLogsServiceRequest', {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: 5, traceId: SPAN.traceId, body: {} }] }] }],
    });
    const metrics = encodeOtlp('ExportMetricsServiceRequest', {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints: [{ asDouble: 1 }] } }] }] }],
    });
    for (const [signal, body] of Object.entries({ logs, metrics })) {
      const answer = await post(new Uint8Array(body));
      expect([answer.status, decoded('RpcStatus', answer)['message']]).toEqual([
        400,
        `the body holds ${signal}, which belong to /v1/${signal}; this path takes spans`,
      ]);
    }
  });

  it('of logs and metrics tell what is not kept', async () => {
    kept.rejected = [{ reason: 'the record tells of no model call', count: 1, firstSpanId: '' }];
    const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{}] }] }] });
    const logAnswer = await post(logs, JSON_TYPE, '/v1/logs');
    expect([logAnswer.status, jsonOf(logAnswer)]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'the record tells of no model call (1)' } },
    ]);
    const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: { dataPoints: [{}, {}] } }] }] }] };
    const answer = await post(JSON.stringify(metrics), JSON_TYPE, '/api/otel/v1/metrics');
    expect([answer.status, jsonOf(answer)]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedDataPoints: '2',
          errorMessage: expect.stringContaining('OTEL_METRICS_EXPORTER=none'),
        },
      },
    ]);
  });

  it('ask to come again while too many exports are being read', async () => {
    const held = Array.from({ length: 3 }, () => sendSlowly(BODY_BYTES));
    try {
      await Promise.all(held.map(({ sent }) => sent));
      let answer = await post();
      while (answer.status === 200) answer = await post();
      expect([answer.status, answer.headers.get('retry-after'), decoded('RpcStatus', answer)['code']]).toEqual([
        503,
        '1',
        14,
      ]);
    } finally {
      for (const { end } of held) end();
    }
    let answer = await post();
    while (answer.status === 503) answer = await post();
    expect(answer.status).toBe(200);
  });
});

/** Sends a body but for its last byte, and keeps the connection. */
function sendSlowly(bytes: number): { sent: Promise<void>; end: () => void } {
  const socket = connect(portOf(local), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${bytes}\r\n\r\n`;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - 1)]), () => resolve());
  return { sent: promise, end: () => void socket.destroy() };
}

describe('the credentials of cloud mode', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const callCloud = (headers: Record<string, string>, path = '/v1/traces', method = 'POST'): Promise<Answer> =>
    call(path, { method, headers: { ...PROTOBUF, ...headers }, ...(method === 'POST' && { body: BYTES }) }, cloud);

  it.each<[string, Record<string, string>]>([
    ['Bearer', { authorization: 'Bearer the-key' }],
    ['the password of Basic', { authorization: basic('any one:the-key') }],
    ['a bare Authorization', { authorization: 'the-key' }],
    ['X-Api-Key', { 'x-api-key': 'the-key' }],
    ['X-Api-Key beside an empty password', { authorization: basic('user:'), 'x-api-key': 'the-key' }],
  ])('come as %s', async (_way, headers) => {
    expect((await callCloud(headers)).status).toBe(200);
    expect((await callCloud(headers, '/v1/traces/', 'GET')).status).toBe(405);
  });

  it('are refused in the encoding of the request', async () => {
    const none = await callCloud({});
    expect([none.status, decoded('RpcStatus', none)['code']]).toEqual([401, 16]);
    expect((await callCloud({ authorization: basic('the-key:') })).status).toBe(401);
    expect((await callCloud({ authorization: 'Bearer another' })).status).toBe(401);
    const mayNot = await callCloud({ authorization: 'Bearer read-key' });
    expect([mayNot.status, decoded('RpcStatus', mayNot)['code']]).toEqual([403, 7]);
    const inJson = await call('/v1/traces', { body: JSON_BODY, headers: JSON_TYPE }, cloud);
    expect([inJson.status, jsonOf(inJson)['code']]).toEqual([401, 16]);
  });

  it('come on other routes as Bearer alone', async () => {
    const answer = await call('/openapi-of-nobody', { method: 'GET', headers: { 'x-api-key': 'the-key' } }, cloud);
    expect([answer.status, jsonOf(answer)['code']]).toEqual([401, 'unauthenticated']);
  });
});

describe('the description', () => {
  it('has every path with both media types', async () => {
    const answer = await call('/api/openapi.json', { method: 'GET' });
    const { paths } = jsonOf(answer) as { paths: Record<string, { post: Record<string, never> }> };
    const ours = Object.keys(paths).filter((path) => /\/v1\/(traces|logs|metrics)$/.test(path));
    expect(ours).toHaveLength(8);
    for (const path of ours) {
      const { requestBody, responses } = paths[path]!.post as unknown as {
        requestBody: { content: object };
        responses: Record<string, { content: object }>;
      };
      const media = [requestBody, responses['200']!, responses['400']!, responses['503']!].map(({ content }) =>
        Object.keys(content),
      );
      expect(media).toEqual(media.map(() => ['application/x-protobuf', 'application/json']));
      expect(media).toHaveLength(4);
    }
  });
});
