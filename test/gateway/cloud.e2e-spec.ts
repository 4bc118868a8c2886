/** What is in place of cloud mode: keys are asked for, and X-Forward-URL leads only outward, to listed hosts. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, type FakeApi } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  gateway = await startGateway(
    upstream.url,
    { apiUrl: api.url, mode: 'cloud', forwardAllow: ['localhost', '127.0.0.1', '*.example'] },
    {
      authorise: (key) =>
        key === 'spn_sk_good-key' ? { ok: true } : { ok: false, code: 'unauthenticated', message: 'A key is needed.' },
    },
  );
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

const call = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify({ model: 'm', messages: [] }) });

describe('in cloud mode', () => {
  it('a caller without a key is refused in the provider’s shape, one with a key is served', async () => {
    const refused = await call('/v1/messages', {});
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    expect((await call('/v1/chat/completions', { 'x-spandrel-key': 'spn_sk_good-key' })).status).toBe(200);
    expect((await call('/v1/chat/completions?token=spn_sk_good-key', {})).status).toBe(200);
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    await recorded(api, 2);
    expect(api.bodies.join()).not.toContain('good-key');
  });

  it.each(['http://127.0.0.1:PORT', 'http://localhost:PORT', 'http://unlisted.test'])(
    '%s cannot be reached',
    async (url) => {
      const answer = await call('/v1/chat/completions', {
        'x-spandrel-key': 'spn_sk_good-key',
        'x-forward-url': url.replace('PORT', String(upstream.port)),
      });
      expect(answer.status).toBe(403);
      expect(upstream.requests).toHaveLength(0);
    },
  );

  it('does not start without a way to check keys', async () => {
    await expect(startGateway(upstream.url, { mode: 'cloud' })).rejects.toThrow(/cloud mode needs keys/);
  });
});
