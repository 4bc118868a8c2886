import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { StartError } from '../errors.js';
import { defineSettings, setting } from './setting.js';
import { loadSettings, type SettingsInput } from './settings.js';
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
    source: { flag: '--no-gateway', kind: 'switch' },
  }),
  items: setting('gateway.spool_items', z.number().int().min(1), { default: 10_000, doc: 'How many.' }),
  folder: setting('gateway.spool_dir', z.string().nullable(), { default: null, doc: 'Where.', isPath: true }),
  hosts: setting('gateway.forward_allow', settingValue.hosts, { default: [], doc: 'Which.' }),
  key: setting('secret_key', z.string().nullable(), {
    default: null,
    doc: 'A secret.',
    cloudNeeds: 'a key',
    source: { variable: 'SPANDREL_SECRET_KEY', secret: true },
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

const BUILT_INS = [
  ...['openai', 'anthropic', 'ollama', 'custom', 'exact-match', 'contains', 'llm-judge', 'preference', 'none'],
  ...['regex', 'json-schema', 'json-equal', 'levenshtein', 'embedding-similarity', 'latency', 'cost'],
  ...['langfuse', 'openinference', 'vercel-ai', 'claude-code', 'mlflow', 'langsmith'],
  ...['traceloop', 'logfire', 'mastra', 'google-adk', 'genkit', 'codex', 'livekit'],
  ...['sentry', 'typed-spans', 'gen-ai'],
  ...['email', 'phone', 'card', 'iban', 'ip', 'secret', 'pattern'],
];

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
      `SPANDREL_SECRET_KEY_FILE: ${join(cwd, 'none')} does not exist; it must be the path of a file`,
    ]);
    const empty = join(cwd, file('empty', ' \n'));
    expect(faultsOf({ env: { SPANDREL_SECRET_KEY_FILE: empty } })).toEqual([
      `SPANDREL_SECRET_KEY_FILE: ${empty} is empty`,
    ]);
    // A secret where its file's path belongs is not repeated.
    expect(faultsOf({ env: { SPANDREL_SECRET_KEY_FILE: 'hush' } })).toEqual([
      'SPANDREL_SECRET_KEY_FILE: what it holds does not exist; it must be the path of a file',
    ]);
    expect(load({ env: { SPANDREL_SECRET_KEY: '', SPANDREL_SECRET_KEY_FILE: secret } }).of(SpoolSettings).key).toBe(
      'hush',
    );
    const config = file('folder.yaml', 'gateway: { spool_dir: spool }\n');
    expect(load({ args: ['--config', config] }).of(SpoolSettings).folder).toBe(join(cwd, 'spool'));
  });

  it('lets settings of other programs pass, and does not read them', () => {
    const config = file('others.yaml', 'evals: { concurrency: many }\n');
    const env = { DATABASE_URL: 'nonsense', DATABASE_URL_FILE: '/nowhere' };
    expect(load({ args: ['--config', config], env }).core.mode).toBe('local');
    expect(faultsOf({ args: ['--config', file('typo.yaml', 'evals: { concurency: 1 }\n')] })).toEqual([
      `evals.concurency: there is no such setting; did you mean evals.concurrency? (from ${cwd}/typo.yaml:1)`,
    ]);
    expect(faultsOf({ args: ['--config', file('no-group.yaml', 'evals:\n')] })).toEqual([
      expect.stringMatching(/^evals: must be an object, not null /),
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

  it('says it with all other faults', () => {
    const wrong = ['--mode', 'cloud', '--port', 'x'];
    const [port, need] = [expect.stringMatching(/^--port: /), expect.stringMatching(/: cloud mode needs a key$/)];
    expect(faultsOf({ args: wrong })).toEqual([port, need]);
    expect(faultsOf({ args: wrong, env: { SPANDREL_SECRET_KEY: 'hush' } })).toEqual([port]);
    expect(faultsOf({ args: wrong.slice(2) })).toEqual([port]);
  });

  it('says it beside the fault of a setting whose name begins with the same letters', () => {
    class FolderSettings extends defineSettings({
      folder: setting('gateway.spool_dir', z.string().nullable(), { default: null, doc: 'Where.', cloudNeeds: 'one' }),
    }) {}
    const args = ['--mode', 'cloud', '--config', file('plural.yaml', 'gateway: { spool_dirs: x }\n')];
    expect(() => loadSettings([FolderSettings], { args, env: {}, cwd })).toThrow(
      'gateway.spool_dir: cloud mode needs one',
    );
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
    expect(load({ args: ['--config', file('no-plugins.yaml', 'plugins: []\n')] }).core.plugins).toHaveLength(
      BUILT_INS.length,
    );
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
      /^gateway\.spool_items: must be a number, not a string /,
      /^mode \(--mode, SPANDREL_MODE\): must be "local" or "cloud" /,
    ]) {
      expect(faults).toContainEqual(expect.stringMatching(expected));
    }
    expect(faults.every((fault) => !fault.includes('\n'))).toBe(true);
  });

  it('names every entry that is no host beside all other faults', () => {
    const config = file('hosts.yaml', 'gateway: { forward_allow: [good.example, "https://x", "*"] }\n');
    expect(faultsOf({ args: ['--config', config, '--port', '70000'] })).toEqual([
      'port (--port, SPANDREL_PORT): must be at most 65535 (from --port)',
      `gateway.forward_allow[1]: "https://x" is not host, host:port or *.domain (from ${cwd}/hosts.yaml:1)`,
      `gateway.forward_allow[2]: "*" is not host, host:port or *.domain (from ${cwd}/hosts.yaml:1)`,
    ]);
  });

  it.each([
    [{ args: ['--port'] }, /--port: needs a value/],
    [{ args: ['--prot', '1'] }, /^--prot: unknown flag; did you mean --port\?$/],
    [{ args: ['--datadir=x'] }, /^--datadir: unknown flag; did you mean --data-dir\?$/],
    [{ args: ['-p', '1'] }, /^-p: unknown flag$/],
    [{ args: ['--log-level', 'debug'] }, /^--log-level: is no flag; set SPANDREL_LOG_LEVEL$/],
    [{ args: ['--zzzzzzz'] }, /^--zzzzzzz: unknown flag$/],
    [{ args: ['--config'] }, /^--config: needs a value$/],
    [{ args: ['--port', '70000'] }, /port \(--port, SPANDREL_PORT\)/],
    [{ args: ['--config', 'absent.yaml'] }, /^config \(--config, SPANDREL_CONFIG\): .*absent\.yaml does not exist$/],
    [{ env: { SPANDREL_HOST: '0.0.0.0' } }, /host .*this machine only/],
    [{ env: { REDIS_URL: 'http://x' } }, /redis_url \(REDIS_URL\): must be a redis/],
  ])('refuses %j', (input, fault) => {
    expect(faultsOf(input)).toContainEqual(expect.stringMatching(fault));
  });

  it('names the place that a faulty value was given at: file and line, flag, or variable', () => {
    const text = 'log_level: loud\n\ngateway:\n  spool_items: 7\n  forward_allow:\n    - good.example\n    - "*"\n';
    const config = file('places.yaml', text);
    const place = `${cwd}/places.yaml`;
    const faults = faultsOf({ args: ['--config', config, '--port', '70000'], env: { SPANDREL_MODE: 'moon' } });
    for (const [name, from] of [
      ['mode', 'SPANDREL_MODE'],
      ['port', '--port'],
      ['log_level', `${place}:1`],
      ['gateway.forward_allow[1]', `${place}:7`],
    ]) {
      expect(faults.filter((fault) => fault.startsWith(name!))).toEqual([expect.stringContaining(` (from ${from})`)]);
    }
    expect(faults).toHaveLength(4);
    const secret = file('short', 'x');
    const env = { SPANDREL_METRICS_TOKEN_FILE: join(cwd, secret), SPANDREL_HOST: '0.0.0.0' };
    expect(faultsOf({ env })).toEqual([
      expect.stringMatching(/^auth\.metrics_token .* \(from SPANDREL_METRICS_TOKEN_FILE\)$/),
    ]);
    expect(faultsOf({ env: { SPANDREL_HOST: '0.0.0.0' } })).toEqual([
      expect.stringMatching(/^host .* \(from SPANDREL_HOST\)$/),
    ]);
  });

  it('names the line of every unknown setting, and where a known one of that name is', () => {
    const config = file(
      'lines.yaml',
      'port: 4000\nspool_items: 1\ngateway.spool_dir: x\ngateway:\n  spol_items: 1\nzzz: 1\n',
    );
    expect(faultsOf({ args: ['--config', config] })).toEqual([
      `gateway.spol_items: there is no such setting; did you mean gateway.spool_items? (from ${cwd}/lines.yaml:5)`,
      `spool_items: there is no such setting; did you mean gateway.spool_items? (from ${cwd}/lines.yaml:2)`,
      `gateway.spool_dir: is written in its group in a file, as "gateway: { spool_dir: … }" (from ${cwd}/lines.yaml:3)`,
      `zzz: there is no such setting (from ${cwd}/lines.yaml:6)`,
    ]);
  });

  it('names the line of what is not yaml', () => {
    expect(faultsOf({ args: ['--config', file('bad-yaml.yaml', 'port: 1\nhost: [\n')] })).toEqual([
      expect.stringMatching(/^config \(--config, SPANDREL_CONFIG\): .*bad-yaml\.yaml:\d: is not yaml: [^\n]+$/),
    ]);
    expect(faultsOf({ args: ['--config', file('twice.yaml', 'port: 1\nport: 2\n')] })).toEqual([
      expect.stringMatching(/twice\.yaml:2: is not yaml: Map keys must be unique$/),
    ]);
  });

  it('has a flag for a line a request, on and off', () => {
    const accessLog = (input: Partial<SettingsInput>): boolean => load(input).core.accessLog;
    expect(accessLog({})).toBe(false);
    expect(accessLog({ args: ['--mode', 'cloud'] })).toBe(true);
    expect(accessLog({ args: ['--access-log'] })).toBe(true);
    expect(accessLog({ args: ['--no-access-log', '--mode', 'cloud'] })).toBe(false);
    expect(accessLog({ args: ['--access-log=false'], env: { SPANDREL_ACCESS_LOG: 'true' } })).toBe(false);
    expect(accessLog({ env: { SPANDREL_ACCESS_LOG: 'true' } })).toBe(true);
    expect(faultsOf({ args: ['--access-log=often'] })).toEqual(['--access-log: must be true or false']);
    expect(faultsOf({ args: ['--log-format', 'prety'] })).toEqual([
      expect.stringMatching(/^log_format \(--log-format, SPANDREL_LOG_FORMAT\): .* \(from --log-format\)$/),
    ]);
  });

  it('reports variables that nobody reads, which stop no start', () => {
    expect(load({ env: { SPANDREL_PROT: '1' } }).warnings).toEqual([
      'SPANDREL_PROT: there is no such variable, it has no effect; did you mean SPANDREL_PORT?',
    ]);
  });

  it('refuses a file that is not yaml, or not settings', () => {
    expect(faultsOf({ args: ['--config', file('broken.yaml', 'a: [')] })).toHaveLength(1);
    expect(faultsOf({ args: ['--config', file('list.yaml', '- 1')] })).toContainEqual(
      expect.stringMatching(/settings by name/),
    );
  });
});
