import { describe, expect, it } from '@jest/globals';
import {
  findNearestPath,
  findRightAddress,
  modelCallAddress,
  modelCallOf,
  lostExportAdvice,
  lostExportOf,
} from './misdirected-request.js';

const collections = new Set(['/api/traces', '/api/provider-connections']);
const at = (path: string, gatewayUrl: string | null = 'http://127.0.0.1:4001') =>
  findRightAddress(path, undefined, gatewayUrl, collections);
const openai = { type: 'invalid_request_error', code: 'not_found' };

describe("the API's answer to a misdirected request", () => {
  it.each([
    [
      '/v1/chat/completions',
      'http://127.0.0.1:4001/v1/chat/completions (the base URL of an OpenAI client is http://127.0.0.1:4001/v1)',
    ],
    [
      '/chat/completions',
      'http://127.0.0.1:4001/v1/chat/completions (the base URL of an OpenAI client is http://127.0.0.1:4001/v1)',
    ],
    [
      '/v1/messages',
      'http://127.0.0.1:4001/v1/messages (the base URL of an Anthropic client is http://127.0.0.1:4001)',
    ],
    ['/api/chat', 'http://127.0.0.1:4001/api/chat (the base URL of an Ollama client is http://127.0.0.1:4001)'],
    ['/api/tags', 'http://127.0.0.1:4001/api/tags (the base URL of an Ollama client is http://127.0.0.1:4001)'],
  ])('%s', (path, address) => {
    const message = `this is the API, model calls go to the gateway: the right address is ${address}`;
    const error = path.startsWith('/api') ? message : { message, ...openai };
    expect(at(path)).toMatchObject({ code: 'not_found', message, error });
  });

  it('/ and paths without /api', () => {
    expect(at('/')).toMatchObject({
      code: 'not_found',
      message:
        'this is the API of Spandrel: its paths begin with /api and are described at /docs; model calls go to the gateway, http://127.0.0.1:4001, and exports of OpenTelemetry to /v1/traces',
      error: undefined,
    });
    expect(at('/traces/x')?.message).toBe('paths of the API begin with /api: the right one is /api/traces/x');
  });

  it('of exports, which are answered with the variable that they have', () => {
    for (const [path, contentType] of [
      ['/v1/trace', 'application/json'],
      ['/', 'application/x-protobuf'],
    ] as const) {
      expect(findRightAddress(path, contentType, null, collections)).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
        error: undefined,
      });
    }
  });

  it('has no host where the gateway’s is not known', () => {
    for (const path of ['/', '/v1/chat/completions', '/v1/messages', '/api/chat']) {
      expect(at(path, null)?.message).toMatch(/^(?!.*(http|null)).*gateway/);
    }
  });

  it.each(['/api/nothing', '/api/traces/x/y', '/api/', '/nothing', '/api', '/favicon.ico'])(
    'is not given at %s',
    (path) => {
      expect(at(path)).toBeUndefined();
    },
  );
});

describe('a path under /api that no route has', () => {
  it.each([
    ['/api/trace', 'there is nothing at this path; did you mean /api/traces?'],
    ['/api/Traces/x', 'there is nothing at this path; did you mean /api/traces?'],
    ['/api/connections', 'there is nothing at this path; did you mean /api/provider-connections?'],
    ['/api/traces/', 'there is nothing at /api/traces/: paths of the API have no slash at their end'],
  ])('%s is answered with the right one', (path, message) => {
    expect(findNearestPath(path, collections)?.message).toBe(message);
    expect(at(path)).toBeUndefined();
  });

  it.each(['/api/nothing', '/api/traces/x/y', '/api/', '/api', '/nothing'])('%s is answered with no other', (path) => {
    expect(findNearestPath(path, collections)).toBeUndefined();
  });
});

describe('modelCallOf', () => {
  it.each([
    ['/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/v1/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/v1/chat/completions/', 'openai', '/v1/chat/completions', ''],
    ['/v1/v1/chat/completions', 'openai', '/v1/chat/completions', ''],
    ['/completions', 'openai', '/v1/completions', ''],
    ['/responses', 'openai', '/v1/responses', ''],
    ['/responses/resp_1', 'openai', '/v1/responses/resp_1', ''],
    ['/embeddings', 'openai', '/v1/embeddings', ''],
    ['/images/generations', 'openai', '/v1/images/generations', ''],
    ['/audio/speech', 'openai', '/v1/audio/speech', ''],
    ['/realtime', 'openai', '/v1/realtime', ''],
    ['/models', 'openai', '/v1/models', ''],
    ['/v1', 'openai', '/v1', ''],
    ['/v1/v1/files/x', 'openai', '/v1/files/x', ''],
    ['/api/v1/chat/completions', 'openai', '/v1/chat/completions', '/api'],
    ['/openai/deployments/x/chat/completions', 'openai', '/v1/chat/completions', '/openai/deployments/x'],
    ['/messages', 'anthropic', '/v1/messages', ''],
    ['/v1/messages', 'anthropic', '/v1/messages', ''],
    ['/v1/v1/messages/count_tokens', 'anthropic', '/v1/messages/count_tokens', ''],
    ['/anthropic/v1/messages', 'anthropic', '/v1/messages', '/anthropic'],
    ['/api/chat', 'ollama', '/api/chat', ''],
    ['/v1/api/chat', 'ollama', '/api/chat', ''],
    ['/api/api/tags', 'ollama', '/api/tags', ''],
    ['/ollama/api/embeddings', 'ollama', '/api/embeddings', '/ollama'],
  ])('%s is a call of %s', (path, client, right, prefix) => {
    expect(modelCallOf(path)).toEqual({ client, path: right, prefix });
  });

  it.each(['/', '', '/api/traces', '/docs', '/v1x', '/api/chats', '/messages/7/x', '/xcompletions'])(
    '%j is none',
    (path) => expect(modelCallOf(path)).toBeUndefined(),
  );
});

describe('modelCallAddress', () => {
  it('has the port in local mode, and no invented host in cloud mode', () => {
    const openai = modelCallOf('/chat/completions')!;
    const anthropic = modelCallOf('/messages')!;
    expect(modelCallAddress(openai, 'http://127.0.0.1:4001')).toBe(
      'http://127.0.0.1:4001/v1/chat/completions (the base URL of an OpenAI client is http://127.0.0.1:4001/v1)',
    );
    expect(modelCallAddress(anthropic, 'http://127.0.0.1:4001')).toBe(
      'http://127.0.0.1:4001/v1/messages (the base URL of an Anthropic client is http://127.0.0.1:4001)',
    );
    expect(modelCallAddress(openai, null)).toBe(
      "/v1/chat/completions of the gateway (the base URL of an OpenAI client is the gateway's address followed by /v1)",
    );
    expect(modelCallAddress(anthropic, null)).toBe(
      "/v1/messages of the gateway (the base URL of an Anthropic client is the gateway's address with no path behind it)",
    );
  });

  it('repeats no endless path', () => {
    expect(modelCallAddress(modelCallOf(`/v1/${'x'.repeat(10_000)}`)!, null).length).toBeLessThan(400);
  });
});

describe('an export that lost its way', () => {
  it.each([
    ['/v1/trace', undefined],
    ['/v1/log/', undefined],
    ['/v1/traces/v1/traces', 'application/json'],
    ['/api/v1/traces', 'application/json; charset=utf-8'],
    ['/', 'application/x-protobuf'],
    ['/api/otel', 'application/protobuf; x=y'],
    ['/v1/metrics/x', undefined],
    ['/v1/logs%20', undefined],
  ])('%s of type %s is one', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBe('http');
  });

  it.each([
    ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', undefined],
    ['/anything', 'application/grpc+proto'],
  ])('%s of type %s speaks gRPC', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBe('grpc');
  });

  it.each([
    ['/v1/chat/completions', 'application/json'],
    ['/traces', undefined],
    ['/api/trace', 'application/json'],
    ['/v1/metricsx', 'application/protobuffer'],
    ['/v1/traces-of-mine', undefined],
  ])('%s of type %s is none', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBeUndefined();
  });

  it('is answered with which variables to set', () => {
    expect(lostExportAdvice('http')).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(lostExportAdvice('grpc')).toContain('OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf');
  });
});
