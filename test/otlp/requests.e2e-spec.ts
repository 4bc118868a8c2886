/** The routes of OTLP as exporters call them: paths, encodings, credentials and refusals, in both modes. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeOtlp } from '../../libs/otlp/fixtures/otlp-schema.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { sendRaw } from '../support/raw-http.ts';
import {
  JSON_TYPE,
  jsonRequest,
  jsonSpan,
  newTraceId,
  OtlpDoor,
  partialSuccessOf,
  PROTOBUF,
  protobufRequest,
  statusOf,
  type OtlpAnswer,
} from './otlp-door.ts';

const TRACES = ['/v1/traces', '/api/otel/v1/traces', '/api/public/otel/v1/traces', '/otel/v1/traces'];
const LOGS = ['/v1/logs', '/api/otel/v1/logs'];
const METRICS = ['/v1/metrics', '/api/otel/v1/metrics'];

/** A body of unknown length, in many small chunks. */
function chunked(body: Uint8Array): RequestInit {
  const stream = new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < body.length; at += 7) controller.enqueue(new Uint8Array(body.subarray(at, at + 7)));
      controller.close();
    },
  });
  return { body: stream, duplex: 'half', headers: PROTOBUF } as RequestInit;
}

describeOnBothDatabases('requests of exporters', ({ name, newDatabase }) => {
  let door: OtlpDoor;
  beforeAll(async () => void (door = await OtlpDoor.open(await newDatabase('otlp'))));
  afterAll(() => door.close());

  it('are taken on every path of spans, with a slash at its end and parameters behind it', async () => {
    for (const path of TRACES) {
      for (const end of ['', '/', '?a=b', '/?a=b&a=c']) {
        const traceId = newTraceId();
        const answer = await door.post(protobufRequest(jsonSpan({ traceId })), { path: path + end });
        expect([answer.status, answer.body.length, answer.headers.get('content-type')]).toEqual([
          200,
          0,
          'application/x-protobuf',
        ]);
        expect(answer.headers.get('x-request-id')).toMatch(/./);
        expect(await door.spansOf(traceId)).toHaveLength(1);
      }
    }
  });

  it('of logs and metrics are answered with what is not kept, in the encoding of the request', async () => {
    const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '5' }, {}] }] }] };
    const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: { dataPoints: [{}, {}, {}] } }] }] }] };
    for (const [paths, type, body, rejected, said] of [
      [LOGS, 'ExportLogsServiceRequest', logs, 2, 'other than events of model calls'],
      [METRICS, 'ExportMetricsServiceRequest', metrics, 3, 'OTEL_METRICS_EXPORTER=none'],
    ] as const) {
      for (const path of paths) {
        for (const sent of [body, encodeOtlp(type, body)]) {
          const answer = await door.post(sent, { path: `${path}/` });
          expect([answer.status, partialSuccessOf(answer).rejected]).toEqual([200, rejected]);
          expect(partialSuccessOf(answer).message).toContain(said);
        }
      }
    }
  });

  it('may be chunked, packed, in JSON with parameters of the type, and of the other name of protobuf', async () => {
    const traceId = newTraceId();
    const span = (n: number): Record<string, unknown> => jsonSpan({ traceId, spanId: `${n}`.repeat(16) });
    const answers = [
      await door.call('/v1/traces', chunked(protobufRequest(span(1)))),
      await door.post(gzipSync(protobufRequest(span(2))), { headers: { 'content-encoding': 'gzip' } }),
      await door.post(jsonRequest(span(3)), { headers: { 'content-type': 'application/json; charset=utf-8' } }),
      await door.post(protobufRequest(span(4)), { headers: { 'content-type': 'application/protobuf' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/x-protobuf',
      'application/x-protobuf',
      'application/json',
      'application/x-protobuf',
    ]);
    expect(answers[2]!.body.toString()).toBe('{}');
    expect(await door.spansOf(traceId)).toHaveLength(4);
  });

  it('keep the id that they have', async () => {
    const { headers } = await door.post(protobufRequest(), { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-request-id')).toBe('mine-1');
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('by %s are 405 with Allow: POST', async (method) => {
    for (const path of [...TRACES, ...LOGS, ...METRICS]) {
      for (const type of [PROTOBUF, JSON_TYPE]) {
        const answer = await door.call(`${path}/`, { method, headers: type });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
        if (method !== 'HEAD') expect(statusOf(answer).code).toBe(12);
      }
    }
  });

  it('are described with both media types', async () => {
    const { body } = await door.app.api.unchecked.get<{ paths: Record<string, { post: Described }> }>(
      '/api/openapi.json',
    );
    for (const path of [...TRACES, ...LOGS, ...METRICS]) {
      const { requestBody, responses } = body.paths[path]!.post;
      for (const { content } of [requestBody, responses['200']!, responses['400']!, responses['503']!]) {
        expect(Object.keys(content)).toEqual(['application/x-protobuf', 'application/json']);
      }
    }
  });

  if (name === 'SQLite') describeLocalMode(() => door);
  else describeCloudMode(() => door);
});

interface Described {
  requestBody: { content: object };
  responses: Record<string, { content: object }>;
}

/** Both encodings of an export of one span, and what a refusal of it has. */
const BOTH = [
  [protobufRequest(jsonSpan()), 'application/x-protobuf'],
  [jsonRequest(jsonSpan()), 'application/json'],
] as const;

function describeLocalMode(door: () => OtlpDoor): void {
  describe('in local mode', () => {
    it('are disturbed by no credential', async () => {
      for (const headers of [{ authorization: 'Bearer any' }, { 'x-api-key': 'any' }, { authorization: 'any' }]) {
        expect((await door().post(protobufRequest(), { headers })).status).toBe(200);
      }
    });

    it('of a foreign Origin or Host are refused in their own encoding', async () => {
      for (const [body, type] of BOTH) {
        const answer = await door().post(body, { headers: { origin: 'https://elsewhere.example' } });
        expect([answer.status, statusOf(answer).code, answer.headers.get('content-type')]).toEqual([403, 7, type]);
      }
      const head = 'POST /v1/traces HTTP/1.1\r\nHost: elsewhere.example\r\nContent-Type: application/json\r\n';
      const { statuses, text } = await sendRaw(door().app.url, `${head}Content-Length: 2\r\n\r\n{}`);
      expect(statuses).toEqual([403]);
      expect(text).toContain('"code":7');
    });
  });
}

function describeCloudMode(door: () => OtlpDoor): void {
  describe('in cloud mode', () => {
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    const send = (
      headers: Record<string, string>,
      body: Uint8Array | object,
      path = '/v1/traces',
    ): Promise<OtlpAnswer> => door().post(body, { path, headers: { authorization: '', ...headers } });

    it('bring their key in any of four ways', async () => {
      const { key } = door().tenant!;
      for (const headers of [
        { authorization: `Bearer ${key}` },
        { authorization: basic(`pk-any:${key}`) },
        { authorization: key },
        { 'x-api-key': key },
      ]) {
        for (const path of TRACES) expect((await send(headers, protobufRequest(), path)).status).toBe(200);
      }
    });

    it('without a key are 401, with one that may not are 403', async () => {
      const readKey = (await door().tenant!.createKey(['read'])).key;
      const ingestKey = (await door().tenant!.createKey(['ingest'])).key;
      for (const [body, type] of BOTH) {
        const none = await send({}, body);
        expect([none.status, statusOf(none).code, none.headers.get('content-type')]).toEqual([401, 16, type]);
        const wrong = await send({ authorization: basic('user:spn_sk_nobody') }, body);
        expect([wrong.status, statusOf(wrong).code]).toEqual([401, 16]);
        const mayNot = await send({ authorization: readKey }, body);
        expect([mayNot.status, statusOf(mayNot).code, mayNot.headers.get('content-type')]).toEqual([403, 7, type]);
        expect((await send({ 'x-api-key': ingestKey }, body)).status).toBe(200);
      }
    });

    it('are one request each, whatever they hold, and 429 with Retry-After when they are too many', async () => {
      const { key } = await door().newTenant({ rateLimit: 1 });
      const many = protobufRequest(...Array.from({ length: 100 }, () => jsonSpan()));
      expect((await send({ authorization: key }, many)).status).toBe(200);
      let answer: OtlpAnswer | undefined;
      while (answer === undefined) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => send({ authorization: key }, protobufRequest())),
        );
        answer = answers.find(({ status }) => status !== 200);
      }
      expect([answer.status, statusOf(answer).code]).toEqual([429, 8]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });
}
