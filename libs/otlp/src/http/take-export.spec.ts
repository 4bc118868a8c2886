import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { until } from '../../../../test/support/spandrel.js';
import {
  BODY_BYTES,
  decoded,
  jsonOf,
  JSON_BODY,
  JSON_TYPE,
  OtlpApp,
  request,
  spansInProtobuf,
} from '../../fixtures/otlp-app.js';
import { encodeOtlp } from '../../fixtures/otlp-schema.js';
import { TakeExport } from './take-export.js';

let app: OtlpApp;
beforeAll(async () => void (app = await OtlpApp.start('local')));
afterAll(() => app.close());
beforeEach(() => app.kept.clear());

describe('the answers', () => {
  const REJECTED = [
    { reason: 'the trace id is not 32 hex digits', count: 2, firstSpanId: 'ab' },
    { reason: 'it has neither start nor end', count: 1, firstSpanId: '' },
  ];
  const MESSAGE = 'the trace id is not 32 hex digits (2, first span ab); it has neither start nor end (1)';

  it('count the spans that were left out, and say why', async () => {
    app.kept.rejected = REJECTED;
    const inProtobuf = await app.post(spansInProtobuf(4));
    expect([inProtobuf.status, decoded('ExportServiceResponse', inProtobuf)]).toEqual([
      200,
      { partialSuccess: { rejected: 3, errorMessage: MESSAGE } },
    ]);
    const text = JSON.stringify(request([{}, {}, {}, {}]));
    expect(jsonOf(await app.post(text, JSON_TYPE))).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: MESSAGE },
    });
  });

  it('are 400 when not one span can be kept, 200 when there is none', async () => {
    app.kept.rejected = [{ reason: 'the span id is missing', count: 1, firstSpanId: '' }];
    const answer = await app.post();
    expect([answer.status, decoded('RpcStatus', answer)['message']]).toEqual([
      400,
      'no span of the export can be kept: the span id is missing (1)',
    ]);
    expect((await app.post(new Uint8Array())).status).toBe(200);
    expect((await app.post('{}', JSON_TYPE)).status).toBe(200);
  });

  it('are 503 with Retry-After while the database is gone, 500 for what nobody foresaw', async () => {
    app.kept.fault = new Unavailable('the database does not answer');
    const gone = await app.post();
    expect([gone.status, gone.headers.get('retry-after'), decoded('RpcStatus', gone)['code']]).toEqual([503, '1', 14]);
    app.kept.fault = new Error('a secret');
    const bug = await app.post(JSON_BODY, JSON_TYPE);
    expect([bug.status, jsonOf(bug)['code'], bug.body.includes('secret')]).toEqual([500, 13, false]);
  });

  it('say that logs and metrics do not belong to the path of spans', async () => {
    app.kept.rejected = [{ reason: 'the span id is missing', count: 1, firstSpanId: '' }];
    const logs = encodeOtlp('ExportLogsServiceRequest', {
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: 5, traceId: Buffer.alloc(16, 1), body: {} }] }] }],
    });
    const metrics = encodeOtlp('ExportMetricsServiceRequest', {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints: [{ asDouble: 1 }] } }] }] }],
    });
    for (const [signal, body] of Object.entries({ logs, metrics })) {
      const answer = await app.post(body);
      expect([answer.status, decoded('RpcStatus', answer)['message']]).toEqual([
        400,
        `the body holds ${signal}, which belong to /v1/${signal}; this path takes spans`,
      ]);
    }
  });

  it('of logs and metrics say what is not kept', async () => {
    app.kept.rejected = [{ reason: 'the record is not about a model call', count: 1, firstSpanId: '' }];
    const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{}] }] }] });
    const logAnswer = await app.post(logs, JSON_TYPE, '/v1/logs');
    expect([logAnswer.status, jsonOf(logAnswer)]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'the record is not about a model call (1)' } },
    ]);
    const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: { dataPoints: [{}, {}] } }] }] }] };
    const answer = await app.post(JSON.stringify(metrics), JSON_TYPE, '/api/otel/v1/metrics');
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
      await until(() => app.nest.get(TakeExport).bytesHeld === 3 * (BODY_BYTES - 1));
      const answer = await app.post();
      const { status, headers } = answer;
      expect([status, headers.get('retry-after'), decoded('RpcStatus', answer)['code']]).toEqual([503, '1', 14]);
    } finally {
      for (const socket of held) socket.destroy();
    }
    await until(() => app.nest.get(TakeExport).bytesHeld === 0);
    expect((await app.post()).status).toBe(200);
  });
});

/** Sends a body but for its last byte, and keeps the connection. */
function sendSlowly(bytes: number): Socket {
  const socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${bytes}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - 1)]));
  return socket;
}
