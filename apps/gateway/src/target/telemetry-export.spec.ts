import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import { ProviderTable } from './provider-table.js';
import { TargetResolver } from './resolve-target.js';

/** Takes every path for its own. */
const extension = {
  defaultBaseUrl: 'https://provider.example',
  hosts: [],
  recognises: () => 'certain',
  endpoint: () => undefined,
} as unknown as Provider;
const table = new ProviderTable([{ name: 'any', extension }], createLogger('silent', 'test'));
const resolverAt = (api: string | null): TargetResolver =>
  new TargetResolver(table, null, () => ({ gateway: 'http://127.0.0.1:4001', api }));
const local = resolverAt('http://127.0.0.1:4000');

describe('an export of OpenTelemetry at the gateway', () => {
  it.each(['/v1/traces', '/v1/logs', '/v1/metrics'])('POST %s is refused and names the port of the API', (path) => {
    for (const headers of [{}, { 'x-forward-url': 'https://collector.example' }]) {
      expect(local.resolve({ method: 'POST', path, headers })).toEqual({
        code: 'validation_failed',
        provider: null,
        needsNoKey: true,
        message:
          'This is the gateway, which takes model calls: exports of OpenTelemetry go to the API; ' +
          'set OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4000 (port 4000).',
      });
    }
  });

  it('is reported without an address where that is not known', () => {
    expect(resolverAt(null).resolve({ method: 'POST', path: '/v1/traces', headers: {} })).toMatchObject({
      message: expect.stringContaining("set OTEL_EXPORTER_OTLP_ENDPOINT to the API's own address."),
    });
  });

  it.each([
    ['GET', '/v1/traces'],
    ['POST', '/v1/traces/x'],
    ['POST', '/v1/trace'],
  ])('is not %s %s, which is forwarded', (method, path) => {
    expect(local.resolve({ method, path, headers: {} })).toMatchObject({ providerName: 'any' });
  });
});
