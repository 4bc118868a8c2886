import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  BYTES,
  decoded,
  jsonOf,
  JSON_BODY,
  JSON_TYPE,
  OtlpApp,
  PROTOBUF,
  type OtlpAnswer,
} from '../../fixtures/otlp-app.js';

let app: OtlpApp;
beforeAll(async () => void (app = await OtlpApp.start('local')));
afterAll(() => app.close());
beforeEach(() => app.kept.clear());

describe('the paths', () => {
  it.each(['/v1/traces', '/api/otel/v1/traces', '/api/public/otel/v1/traces', '/otel/v1/traces'])(
    '%s takes spans, also with a slash and a query',
    async (path) => {
      for (const end of ['', '/', '?a=b', '/?a=b&a=c']) {
        const { status, body, headers } = await app.post(BYTES, PROTOBUF, path + end);
        expect({ status, bytes: body.length, type: headers.get('content-type') }).toEqual({
          status: 200,
          bytes: 0,
          type: 'application/x-protobuf',
        });
        expect(headers.get('x-request-id')).not.toBeNull();
      }
      expect(app.kept.spans.map(({ name }) => name)).toEqual(Array(4).fill('a span'));
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused with Allow: POST', async (method) => {
    const answer = await app.call('/v1/traces', { method, headers: PROTOBUF });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 12 });
  });

  it('refuses a foreign Origin in the encoding of the request', async () => {
    const answer = await app.post(BYTES, { ...PROTOBUF, origin: 'https://elsewhere.example' });
    expect(answer.status).toBe(403);
    expect(decoded('RpcStatus', answer)).toMatchObject({ code: 7 });
  });
});

describe('the credentials of cloud mode', () => {
  let cloud: OtlpApp;
  beforeAll(async () => void (cloud = await OtlpApp.start('cloud')));
  afterAll(() => cloud.close());

  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const callCloud = (headers: Record<string, string>, path = '/v1/traces', method = 'POST'): Promise<OtlpAnswer> =>
    cloud.call(path, {
      method,
      headers: { ...PROTOBUF, ...headers },
      ...(method === 'POST' && { body: new Uint8Array(BYTES) }),
    });

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
    const inJson = await cloud.post(JSON_BODY, JSON_TYPE);
    expect([inJson.status, jsonOf(inJson)['code']]).toEqual([401, 16]);
  });

  it('come on other routes as Bearer alone', async () => {
    const answer = await cloud.call('/openapi-of-nobody', { method: 'GET', headers: { 'x-api-key': 'the-key' } });
    expect([answer.status, jsonOf(answer)['code']]).toEqual([401, 'unauthenticated']);
  });
});

describe('the description', () => {
  it('has every path with both media types', async () => {
    const answer = await app.call('/api/openapi.json', { method: 'GET' });
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
