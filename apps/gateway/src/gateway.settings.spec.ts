import { describe, expect, it } from '@jest/globals';
import { apiKeyOf } from '@spandrel/contract';
import { loadSettings, StartError } from '@spandrel/kernel/launch';
import { gatewayAddresses, GatewayUserSettings, publicGatewayUrl } from './gateway.settings.js';

const load = (env: Record<string, string>, ...args: string[]) =>
  loadSettings([GatewayUserSettings], { args, env, cwd: process.cwd() });
const settings = (env: Record<string, string>, ...args: string[]) => load(env, ...args).of(GatewayUserSettings);
const addresses = (...args: string[]) => {
  const loaded = load({}, ...args);
  return gatewayAddresses(loaded.of(GatewayUserSettings), loaded.core);
};
const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    load(env);
  } catch (error) {
    if (error instanceof StartError) return error.faults;
    throw error;
  }
  return [];
};

describe("the gateway's settings", () => {
  it('have the documented defaults', () => {
    expect(settings({})).toMatchObject({
      enabled: true,
      port: null,
      capture: { mode: 'full' },
      spoolBytes: 67_108_864,
    });
    expect(addresses()).toEqual({ port: 3001, apiUrl: 'http://127.0.0.1:3000' });
  });

  it('give the gateway the next port, unless it has its own', () => {
    expect(addresses('--port=5000')).toEqual({ port: 5001, apiUrl: 'http://127.0.0.1:5000' });
    expect(addresses('--port', '5000', '--gateway-port', '6000').port).toBe(6000);
    expect(addresses('--port', '0').port).toBe(0);
    expect(settings({}, '--no-gateway').enabled).toBe(false);
  });

  it('send the API where the gateway of this machine is, where that is known', () => {
    const url = (listening: number | undefined, ...args: string[]): string | null => {
      const loaded = load({}, ...args);
      return publicGatewayUrl(loaded.of(GatewayUserSettings), loaded.core, listening);
    };
    expect(url(undefined)).toBe('http://127.0.0.1:3001');
    expect(url(undefined, '--port', '4000')).toBe('http://127.0.0.1:4001');
    expect(url(5123, '--port', '0')).toBe('http://127.0.0.1:5123');
    expect([url(undefined, '--port', '0'), url(undefined, '--no-gateway'), url(3001, '--mode', 'cloud')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('send the API what applications call the gateway, in both modes', () => {
    for (const mode of ['local', 'cloud']) {
      const loaded = load({ SPANDREL_GATEWAY_URL: 'https://gateway.example/' }, '--mode', mode);
      expect(publicGatewayUrl(loaded.of(GatewayUserSettings), loaded.core, 3001)).toBe('https://gateway.example');
    }
  });

  it('read capture modes', () => {
    expect(settings({ SPANDREL_CAPTURE: 'Preview(120)' }).capture).toEqual({ mode: 'preview', chars: 120 });
    expect(settings({ SPANDREL_CAPTURE: 'off' }).capture).toEqual({ mode: 'off' });
    for (const capture of ['some', 'Preview', 'Preview()', 'Preview(-1)', 'Preview 10', '10', 'false']) {
      expect(faultsOf({ SPANDREL_CAPTURE: capture })).toEqual([
        'gateway.capture (SPANDREL_CAPTURE): must be Full, Off or Preview(N), such as Preview(200) (from SPANDREL_CAPTURE)',
      ]);
    }
  });

  it('take an http URL of the server or of its API, without its last slash', () => {
    const { core, ...loaded } = { core: load({}).core, own: settings({ SPANDREL_API_URL: 'https://api.example/' }) };
    expect(gatewayAddresses(loaded.own, core).apiUrl).toBe('https://api.example');
    for (const url of ['https://api.example/api', 'https://api.example/api/'])
      expect(gatewayAddresses(settings({ SPANDREL_API_URL: url }), core).apiUrl).toBe('https://api.example');
    expect(faultsOf({ SPANDREL_API_URL: 'ftp://x' })).toEqual([expect.stringMatching(/api_url .*http/)]);
  });

  it('take an API key or a JWT as the credential of the gateway, and reveal nothing of what is neither', () => {
    const key = apiKeyOf(0xdecafn);
    for (const apiKey of [key, 'eyJh.eyJz.x-_0']) expect(settings({ SPANDREL_API_KEY: apiKey }).apiKey).toBe(apiKey);
    for (const apiKey of ['nonsense', `${key}0`, `${key.slice(0, -1)}!`, 'a.b', 'a.b.c.d', 'a..c']) {
      const faults = faultsOf({ SPANDREL_API_KEY: apiKey });
      expect(faults).toEqual([expect.stringMatching(/^gateway\.api_key \(SPANDREL_API_KEY\): must be an API key/)]);
      expect(faults.join()).not.toContain(apiKey);
    }
  });
});
