import { describe, expect, it } from '@jest/globals';
import { findNearestPath, findRightAddress } from './misdirected-request.js';

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

  it('of exports, which are told the variable that they have', () => {
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
  ])('%s is told the right one', (path, message) => {
    expect(findNearestPath(path, collections)?.message).toBe(message);
    expect(at(path)).toBeUndefined();
  });

  it.each(['/api/nothing', '/api/traces/x/y', '/api/', '/api', '/nothing'])('%s is told no other', (path) => {
    expect(findNearestPath(path, collections)).toBeUndefined();
  });
});
