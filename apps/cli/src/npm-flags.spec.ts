import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { settingSources } from '@spandrel/kernel/launch';
import { ALL_SETTINGS } from './command-settings.js';
import { npmFlagFault } from './npm-flags.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-npmrc-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the program gets from npm, see each test; npm's own variables are always there. */
const faultOf = (args: string[], env: Record<string, string>, script = 'start'): string | undefined =>
  npmFlagFault(
    args,
    {
      npm_lifecycle_event: script,
      npm_lifecycle_script: `exec node bin/spandrel.cjs ${script}`,
      npm_config_noproxy: '',
      npm_config_userconfig: join(folder, 'none'),
      npm_config_local_prefix: folder,
      ...env,
    },
    settingSources(ALL_SETTINGS),
  );

describe('npmFlagFault', () => {
  it.each([
    // npm start --port 4000, by npm 10 and by npm 11
    [[], { npm_config_port: '4000' }, 'start', '--port', 'npm start -- --port 4000'],
    [['4000'], { npm_config_port: 'true' }, 'start', '--port', 'npm start -- --port 4000'],
    // npm run server --data-dir /tmp/x
    [['/tmp/x'], { npm_config_data_dir: 'true' }, 'server', '--data-dir', 'npm run server -- --data-dir /tmp/x'],
    // npm start --no-gateway
    [[], { npm_config_gateway: '' }, 'start', '--no-gateway', 'npm start -- --no-gateway'],
    // npm run gateway --access-log
    [[], { npm_config_access_log: 'true' }, 'gateway', '--access-log', 'npm run gateway -- --access-log'],
    [[], { npm_config_access_log: '' }, 'start', '--no-access-log', 'npm start -- --no-access-log'],
    // npm start --port
    [[], { npm_config_port: 'true' }, 'start', '--port', 'npm start -- --port …'],
    // npm start --mode cloud --config own.yaml
    [
      ['cloud', 'own.yaml'],
      { npm_config_mode: 'true', npm_config_config: 'true' },
      'start',
      '--config, --mode',
      'npm start -- --config … --mode …',
    ],
  ])(
    'of the arguments %j and the variables %j of npm run %s says how to write it',
    (args, env, script, flags, command) => {
      expect(faultOf(args, env, script)).toBe(`npm took ${flags} for its own; write flags behind "--": ${command}`);
    },
  );

  it('is none where flags stand behind "--", and for a gateway that npm was asked to have', () => {
    expect(faultOf(['--port', '4000'], {})).toBeUndefined();
    expect(faultOf([], { npm_config_gateway: 'true' })).toBeUndefined();
  });

  it('is none where an .npmrc of the user or the project has the name', () => {
    writeFileSync(join(folder, '.npmrc'), 'registry=http://127.0.0.1\n port = 99\ndata_dir=/x\n');
    expect(faultOf([], { npm_config_port: '99', npm_config_data_dir: '/x' })).toBeUndefined();
    const user = join(folder, 'user');
    writeFileSync(user, 'mode=cloud\n');
    expect(faultOf([], { npm_config_mode: 'cloud', npm_config_userconfig: user })).toBeUndefined();
    expect(faultOf([], { npm_config_log_format: 'json' })).toContain('npm start -- --log-format json');
    rmSync(join(folder, '.npmrc'));
  });

  it('is none in other scripts, and without npm', () => {
    expect(faultOf([], { npm_config_port: '4000' }, 'test')).toBeUndefined();
    expect(npmFlagFault([], { npm_config_port: '4000' }, settingSources(ALL_SETTINGS))).toBeUndefined();
    expect(faultOf([], { npm_config_port: '4000', npm_lifecycle_script: 'exec node other.js' })).toBeUndefined();
  });
});
