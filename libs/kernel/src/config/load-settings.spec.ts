import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { StartError } from '../errors/start-error.js';
import { defineSettings } from './define-settings.js';
import { loadSettings, type SettingsInput } from './load-settings.js';
import { setting } from './setting.js';
import { settingValue } from './value-schemas.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'spandrel-settings-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** Settings that config/default.yaml names too, as a program may declare them. */
class SpoolSettings extends defineSettings({
  enabled: setting('gateway.enabled', z.boolean(), {
    default: true,
    doc: 'Whether there is one.',
    source: { flag: '--no-gateway', kind: 'switch', help: 'without' },
  }),
  items: setting('gateway.spool_items', z.number().int().min(1), { default: 10_000, doc: 'How many.' }),
  folder: setting('gateway.spool_dir', z.string().nullable(), { default: null, doc: 'Where.', isPath: true }),
  hosts: setting('gateway.forward_allow', settingValue.hosts, { default: [], doc: 'Which.' }),
  key: setting('secret_key', z.string().nullable(), {
    default: null,
    doc: 'A secret.',
    cloudNeeds: 'a key',
    source: { variable: 'SPANDREL_SECRET_KEY', secret: true, help: 'a secret' },
  }),
}) {}

const load = (input: Partial<SettingsInput> = {}) =>
  loadSettings([SpoolSettings], { args: [], env: {}, cwd, ...input });
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
    const { core } = load();
    expect(core).toMatchObject({ mode: 'local', host: '127.0.0.1', port: 3000, dataDir: join(cwd, 'data') });
    expect(core.plugins.map(({ use }) => use)).toEqual(BUILT_INS);
  });

  it('takes the flag, then the variable, then the file, then the mode, then the defaults', () => {
    const config = file('own.yaml', 'port: 4003\nlog_level: warn\ngateway: { spool_items: 7 }\n');
    const env = { SPANDREL_PORT: '4002' };
    expect(load({ args: ['--port', '4001', '--config', config], env }).core.port).toBe(4001);
    expect(load({ args: ['--config', config], env }).core.port).toBe(4002);
    const own = load({ env: { SPANDREL_CONFIG: config } });
    expect(own.core).toMatchObject({ port: 4003, logLevel: 'warn' });
    expect(own.of(SpoolSettings)).toEqual({ enabled: true, items: 7, folder: null, hosts: [], key: null });
    expect(load({ args: ['--mode', 'cloud'] }).core.host).toBe('0.0.0.0');
  });

  it('takes an empty variable as none', () => {
    expect(load({ env: { SPANDREL_PORT: '' } }).core.port).toBe(3000);
  });

  it('reads switches, secrets from files, and paths from where the program is started', () => {
    expect(load({ args: ['--no-gateway'] }).of(SpoolSettings).enabled).toBe(false);
    const secret = join(cwd, file('secret', 'hush\n'));
    expect(load({ env: { SPANDREL_SECRET_KEY_FILE: secret } }).of(SpoolSettings).key).toBe('hush');
    expect(faultsOf({ env: { SPANDREL_SECRET_KEY_FILE: join(cwd, 'none') } })).toEqual([
      'SPANDREL_SECRET_KEY_FILE: cannot be read',
    ]);
    const config = file('folder.yaml', 'gateway: { spool_dir: spool }\n');
    expect(load({ args: ['--config', config] }).of(SpoolSettings).folder).toBe(join(cwd, 'spool'));
  });

  it('lets settings of other programs pass, and does not read them', () => {
    const config = file('others.yaml', 'evals: { concurrency: many }\n');
    const env = { DATABASE_URL: 'nonsense', DATABASE_URL_FILE: '/nowhere' };
    expect(load({ args: ['--config', config], env }).core.mode).toBe('local');
    expect(faultsOf({ args: ['--config', file('typo.yaml', 'evals: { concurency: 1 }\n')] })).toEqual([
      'evals: Unrecognized key: "concurency"; did you mean "concurrency"?',
    ]);
    expect(faultsOf({ args: ['--config', file('no-group.yaml', 'evals:\n')] })).toEqual([
      expect.stringMatching(/^evals: .*expected object/),
    ]);
  });

  it('says what cloud mode needs once the settings are to be used', () => {
    expect(() => load().requireAll()).not.toThrow();
    const cloud = load({ args: ['--mode', 'cloud'] });
    expect(() => cloud.requireAll()).toThrow(
      new StartError(['secret_key (SPANDREL_SECRET_KEY): cloud mode needs a key']),
    );
    const given = load({ args: ['--mode', 'cloud'], env: { SPANDREL_SECRET_KEY: 'hush' } });
    expect(() => given.requireAll()).not.toThrow();
  });

  it('has no values of a part that was not loaded', () => {
    class OtherSettings extends defineSettings({}) {}
    expect(() => load().of(OtherSettings)).toThrow('OtherSettings');
  });

  it('gives a provider base to the plugin it is for', () => {
    const { plugins } = load({ env: { SPANDREL_OLLAMA_BASE_URL: 'http://127.0.0.1:9999' } }).core;
    expect(plugins.find(({ use }) => use === 'ollama')?.config).toEqual({ base_url: 'http://127.0.0.1:9999' });
    expect(plugins.find(({ use }) => use === 'openai')?.config).toEqual({});
  });

  it('finds a plugin file beside the config that lists it', () => {
    mkdirSync(join(cwd, 'etc'), { recursive: true });
    const config = file(
      'etc/plugins.yaml',
      'plugins:\n  - ./mine.ts\n  - use: ../yours.mjs\n    config: { depth: 2 }\n',
    );
    expect(load({ args: ['--config', config] }).core.plugins.slice(0, 2)).toEqual([
      { use: join(cwd, 'etc/mine.ts'), config: {} },
      { use: join(cwd, 'yours.mjs'), config: { depth: 2 } },
    ]);
  });

  it('puts the plugins of the own file before the built-in ones, which stay', () => {
    const config = file('own-plugins.yaml', 'plugins: [acme-plugin, ./mine.ts]\n');
    expect(load({ args: ['--config', config] }).core.plugins.map(({ use }) => use)).toEqual([
      'acme-plugin',
      join(cwd, 'mine.ts'),
      ...BUILT_INS,
    ]);
    expect(load({ args: ['--config', file('no-plugins.yaml', 'plugins: []\n')] }).core.plugins).toHaveLength(8);
  });

  it('takes a built-in plugin that the own file lists from there, with its place and config', () => {
    const rubric = 'Is it polite?';
    const config = file(
      'named-plugins.yaml',
      `plugins:\n  - custom\n  - { use: llm-judge, config: { rubric: ${rubric} } }\n`,
    );
    const { plugins } = load({ args: ['--config', config] }).core;
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
    expect(load({ args: ['--config', config] }).core.plugins.map(({ use }) => use)).toEqual([
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
    const config = file('hosts.yaml', 'gateway: { forward_allow: [good.example, "https://x", "*"] }\n');
    expect(faultsOf({ args: ['--config', config, '--port', '70000'] })).toEqual([
      expect.stringMatching(/^port /),
      'gateway.forward_allow[1]: "https://x" is not host, host:port or *.domain',
      'gateway.forward_allow[2]: "*" is not host, host:port or *.domain',
    ]);
  });

  it.each([
    [{ args: ['--port'] }, /--port: needs a value/],
    [{ args: ['--port', '70000'] }, /port \(--port, SPANDREL_PORT\)/],
    [{ args: ['--config', 'absent.yaml'] }, /absent\.yaml: there is no such file/],
    [{ env: { SPANDREL_HOST: '0.0.0.0' } }, /host .*this machine only/],
    [{ env: { REDIS_URL: 'http://x' } }, /redis_url \(REDIS_URL\): must be a redis/],
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
