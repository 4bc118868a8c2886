import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyOf } from '@spandrel/contract';
import { StartError } from '../errors/start-error.js';
import { loadSettings, type SettingsInput } from './load-settings.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'spandrel-settings-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const load = (input: Partial<SettingsInput> = {}) => loadSettings({ args: [], env: {}, cwd, ...input });
const faultsOf = (input: Partial<SettingsInput>): readonly string[] => {
  try {
    load(input);
  } catch (error) {
    if (error instanceof StartError) return error.faults;
    throw error;
  }
  return [];
};
const file = (name: string, text: string): string => {
  writeFileSync(join(cwd, name), text);
  return name;
};

const BUILT_INS = ['openai', 'anthropic', 'ollama', 'custom', 'exact-match', 'contains', 'llm-judge', 'none'];

describe('loadSettings', () => {
  it('has the documented defaults', () => {
    const settings = load();
    expect(settings).toMatchObject({ mode: 'local', host: '127.0.0.1', port: 3000, dataDir: join(cwd, 'data') });
    expect(settings.gateway).toMatchObject({ enabled: true, port: 3001, apiUrl: 'http://127.0.0.1:3000' });
    expect(settings.gateway.capture).toEqual({ mode: 'full' });
    expect(settings.plugins.map(({ use }) => use)).toEqual(BUILT_INS);
  });

  it('takes the flag, then the variable, then the file, then the mode, then the defaults', () => {
    const config = file('own.yaml', 'port: 4003\nlog_level: warn\ngateway: { spool_items: 7 }\n');
    const env = { SPANDREL_PORT: '4002' };
    expect(load({ args: ['--port', '4001', '--config', config], env }).port).toBe(4001);
    expect(load({ args: ['--config', config], env }).port).toBe(4002);
    const own = load({ env: { SPANDREL_CONFIG: config } });
    expect(own).toMatchObject({
      port: 4003,
      logLevel: 'warn',
      gateway: { port: 4004, spoolItems: 7, spoolBytes: 67_108_864 },
    });
    expect(load({ args: ['--mode', 'cloud'] }).host).toBe('0.0.0.0');
  });

  it('takes an empty variable as none', () => {
    expect(load({ env: { SPANDREL_PORT: '' } }).port).toBe(3000);
  });

  it('gives the gateway the next port, unless it has its own', () => {
    expect(load({ args: ['--port=5000'] }).gateway).toMatchObject({ port: 5001, apiUrl: 'http://127.0.0.1:5000' });
    expect(load({ args: ['--port', '5000', '--gateway-port', '6000'] }).gateway.port).toBe(6000);
    expect(load({ args: ['--port', '0'] }).gateway.port).toBe(0);
    expect(load({ args: ['--no-gateway'] }).gateway.enabled).toBe(false);
  });

  it('reads capture modes', () => {
    expect(load({ env: { SPANDREL_CAPTURE: 'Preview(120)' } }).gateway.capture).toEqual({
      mode: 'preview',
      chars: 120,
    });
    expect(load({ env: { SPANDREL_CAPTURE: 'off' } }).gateway.capture).toEqual({ mode: 'off' });
  });

  it('gives a provider base to the plugin it is for', () => {
    const { plugins } = load({ env: { SPANDREL_OLLAMA_BASE_URL: 'http://127.0.0.1:9999' } });
    expect(plugins.find(({ use }) => use === 'ollama')?.config).toEqual({ base_url: 'http://127.0.0.1:9999' });
    expect(plugins.find(({ use }) => use === 'openai')?.config).toEqual({});
  });

  it('finds a plugin file beside the config that lists it', () => {
    mkdirSync(join(cwd, 'etc'), { recursive: true });
    const config = file(
      'etc/plugins.yaml',
      'plugins:\n  - ./mine.ts\n  - use: ../yours.mjs\n    config: { depth: 2 }\n',
    );
    expect(load({ args: ['--config', config] }).plugins.slice(0, 2)).toEqual([
      { use: join(cwd, 'etc/mine.ts'), config: {} },
      { use: join(cwd, 'yours.mjs'), config: { depth: 2 } },
    ]);
  });

  it('puts the plugins of the own file before the built-in ones, which stay', () => {
    const config = file('own-plugins.yaml', 'plugins: [acme-plugin, ./mine.ts]\n');
    expect(load({ args: ['--config', config] }).plugins.map(({ use }) => use)).toEqual([
      'acme-plugin',
      join(cwd, 'mine.ts'),
      ...BUILT_INS,
    ]);
    expect(load({ args: ['--config', file('no-plugins.yaml', 'plugins: []\n')] }).plugins).toHaveLength(8);
  });

  it('takes a built-in plugin that the own file lists from there, with its place and config', () => {
    const rubric = 'Is it polite?';
    const config = file(
      'named-plugins.yaml',
      `plugins:\n  - custom\n  - { use: llm-judge, config: { rubric: ${rubric} } }\n`,
    );
    const { plugins } = load({ args: ['--config', config] });
    expect(plugins.map(({ use }) => use)).toEqual([
      'custom',
      'llm-judge',
      ...BUILT_INS.filter((use) => use !== 'custom' && use !== 'llm-judge'),
    ]);
    expect(plugins[1]).toEqual({ use: 'llm-judge', config: { rubric } });
  });

  it('leaves out a plugin that is not enabled', () => {
    const config = file(
      'fewer-plugins.yaml',
      'plugins:\n  - { use: ollama, enabled: false }\n  - { use: none, enabled: true }\n  - { use: ./off.ts, enabled: false }\n',
    );
    expect(load({ args: ['--config', config] }).plugins.map(({ use }) => use)).toEqual([
      'none',
      ...BUILT_INS.filter((use) => use !== 'ollama' && use !== 'none'),
    ]);
  });

  it.each(['{ config: {} }', '{ use: none, enabled: later }', '[none]', '7'])('refuses the plugin %s', (entry) => {
    const config = file('bad-plugins.yaml', `plugins: [openai, ${entry}]\n`);
    expect(faultsOf({ args: ['--config', config] })).toContainEqual(expect.stringMatching(/^plugins\[1\]/));
  });

  it('names every fault, one a line', () => {
    const config = file('bad.yaml', 'portt: 1\ngateway:\n  spool_items: many\n');
    const faults = faultsOf({
      args: ['--port', 'x', '--what', 'extra', '--config', config],
      env: { SPANDREL_MODE: 'moon' },
    });
    for (const expected of [
      /--port: must be a whole number/,
      /--what: unknown flag/,
      /extra: unexpected argument/,
      /portt/,
      /gateway\.spool_items/,
      /mode \(--mode, SPANDREL_MODE\)/,
    ]) {
      expect(faults).toContainEqual(expect.stringMatching(expected));
    }
    expect(faults.every((fault) => !fault.includes('\n'))).toBe(true);
  });

  it('names every entry that is no host beside all other faults', () => {
    const config = file(
      'hosts.yaml',
      'gateway: { forward_allow: [good.example, "https://x", "*"] }\nconnections: { allow_private: [" *.Good.example:80", "a b"] }\n',
    );
    expect(faultsOf({ args: ['--config', config, '--port', '70000'] })).toEqual([
      expect.stringMatching(/^port /),
      'connections.allow_private[1]: "a b" is not host, host:port or *.domain',
      'gateway.forward_allow[1]: "https://x" is not host, host:port or *.domain',
      'gateway.forward_allow[2]: "*" is not host, host:port or *.domain',
    ]);
  });

  it('takes an API key or a JWT as the credential of the gateway, and tells nothing of what is neither', () => {
    const key = apiKeyOf(0xdecafn);
    for (const apiKey of [key, 'eyJh.eyJz.x-_0']) {
      expect(load({ env: { SPANDREL_API_KEY: apiKey } }).gateway.apiKey).toBe(apiKey);
    }
    for (const apiKey of ['nonsense', `${key}0`, `${key.slice(0, -1)}!`, 'a.b', 'a.b.c.d', 'a..c']) {
      const faults = faultsOf({ env: { SPANDREL_API_KEY: apiKey } });
      expect(faults).toEqual([expect.stringMatching(/^gateway\.api_key \(SPANDREL_API_KEY\): must be an API key/)]);
      expect(faults.join()).not.toContain(apiKey);
    }
  });

  it.each([
    [{ args: ['--port'] }, /--port: needs a value/],
    [{ args: ['--port', '70000'] }, /port \(--port, SPANDREL_PORT\)/],
    [{ args: ['--config', 'absent.yaml'] }, /absent\.yaml: there is no such file/],
    [{ env: { SPANDREL_HOST: '0.0.0.0' } }, /host .*this machine only/],
    [{ env: { SPANDREL_CAPTURE: 'some' } }, /capture .*Full, Off or Preview/],
    [{ env: { SPANDREL_API_URL: 'ftp://x' } }, /api_url .*http/],
  ])('refuses %j', (input, fault) => {
    expect(faultsOf(input)).toContainEqual(expect.stringMatching(fault));
  });

  it('refuses a file that is not yaml, or not settings', () => {
    expect(faultsOf({ args: ['--config', file('broken.yaml', 'a: [')] })).toHaveLength(1);
    expect(faultsOf({ args: ['--config', file('list.yaml', '- 1')] })).toContainEqual(
      expect.stringMatching(/settings by name/),
    );
  });
});
