import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  CoreSettings,
  knownVariables,
  loadSettings,
  PACKAGE,
  settingSources,
  settingsHelp,
  StartError,
} from '@spandrel/kernel/launch';
import { parse } from 'yaml';
import { ALL_SETTINGS } from './command-settings.js';

const configFile = (name: string): string => readFileSync(join(PACKAGE.root, 'config', `${name}.yaml`), 'utf8');

/** What is wrong with a config file, when every part of the program looks at it. */
function listFaults(yaml: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-config-'));
  try {
    writeFileSync(join(folder, 'own.yaml'), yaml);
    loadSettings(ALL_SETTINGS, { args: ['--config', 'own.yaml'], env: {}, cwd: folder });
    return [];
  } catch (error) {
    if (error instanceof StartError) return error.faults.map((fault) => fault.replace(`${folder}/`, ''));
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the settings of all programs', () => {
  it('are what config/default.yaml and config/cloud.yaml say (npm run config:write)', async () => {
    const { configFiles } = (await import('../../../scripts/config-files.mjs' as string)) as {
      configFiles(parts: readonly unknown[]): Record<string, string>;
    };
    for (const [name, text] of Object.entries(configFiles([CoreSettings, ...ALL_SETTINGS]))) {
      expect(configFile(name)).toBe(text);
    }
    expect(parse(configFile('local'))).toEqual({});
  });

  it('have one name, flag and variable each', () => {
    const sources = settingSources(ALL_SETTINGS);
    for (const names of [sources.map(({ flag }) => flag), sources.map(({ variable }) => variable)]) {
      const given = names.filter((name) => name !== undefined);
      expect(given).toEqual([...new Set(given)]);
    }
    const paths = ALL_SETTINGS.flatMap(({ declared }) => Object.values(declared)).map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
  });

  it('are known by their variables to every program, which config/default.yaml reports', () => {
    const known = knownVariables(join(PACKAGE.root, 'config/default.yaml'));
    for (const { variable, secret } of settingSources(ALL_SETTINGS)) {
      if (variable === undefined) continue;
      expect(known).toContain(variable);
      if (secret) expect(known).toContain(`${variable}_FILE`);
    }
  });

  it('are listed in the help, a line for each flag and variable', () => {
    const help = settingsHelp(ALL_SETTINGS).split('\n');
    expect(help).toContain('  --config (SPANDREL_CONFIG)  A yaml file laid over the defaults');
    expect(help).toContain('  --port (SPANDREL_PORT)  Port of the API');
    expect(help).toContain('  --no-gateway  Whether `serve` runs the gateway beside the API, or the API alone');
    expect(help).toContain('  DATABASE_URL  The database, as postgres://user:password@host:port/name');
  });

  it('refuse what is out of range, in the order in which they are declared', () => {
    const faults = listFaults(
      [
        'connections: { allow_private: [" *.Good.example:80", "a b"] }',
        'gateway: { forward_allow: ["*"], spool_items: many }',
        'retention: { interval: 0 }',
        'secret_key: short',
        'auth: { jwt_secret: short, admin_token: short }',
        'database: { url: "http://x", pool_max: 2 }',
        'pricing: { models: { mine: { input: -1, output: 1 } } }',
      ].join('\n'),
    );
    expect(faults).toEqual([
      'database.url (DATABASE_URL): must be a postgres:// URL (from own.yaml:6)',
      expect.stringMatching(/^database\.pool_max \(SPANDREL_DATABASE_POOL\): /),
      'auth.admin_token (SPANDREL_ADMIN_TOKEN): must have at least 16 characters (from own.yaml:5)',
      'auth.jwt_secret (SPANDREL_JWT_SECRET): must have at least 32 bytes (from own.yaml:5)',
      expect.stringMatching(/^retention\.interval \(SPANDREL_RETENTION_INTERVAL\): /),
      expect.stringMatching(/^pricing\.models\.mine\.input: /),
      'secret_key (SPANDREL_SECRET_KEY): must be 32 bytes, as base64 or hex (from own.yaml:4)',
      'connections.allow_private[1]: "a b" is not host, host:port or *.domain (from own.yaml:1)',
      expect.stringMatching(/^gateway\.spool_items: /),
      'gateway.forward_allow[0]: "*" is not host, host:port or *.domain (from own.yaml:2)',
    ]);
  });

  it('refuse a name that is none, and say which one may be meant', () => {
    expect(listFaults('portt: 1\ngateway: { spool_itms: 1 }\nzzz: 1\n')).toEqual([
      'gateway.spool_itms: there is no such setting; did you mean gateway.spool_items? (from own.yaml:2)',
      'portt: there is no such setting; did you mean port? (from own.yaml:1)',
      'zzz: there is no such setting (from own.yaml:3)',
    ]);
  });
});
