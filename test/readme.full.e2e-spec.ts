/** The examples of README and guide, run as they stand there (ports and the example provider apart). */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { Api } from './support/api.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';

const pages = ['README.md', 'docs/guide.md'].map((page) => readFileSync(resolve(page), 'utf8')).join('\n');
const blocks = [...pages.matchAll(/^```(sh|js)\n(.*?)^```/gms)].map(([, language, code]) => ({
  language,
  code: code!,
}));
const examples = blocks.filter(({ code }) => code.includes('127.0.0.1') && !code.startsWith('npm ci'));
const cloudExamples = blocks.filter(({ code }) => code.includes('.example.com') && !code.includes('127.0.0.1'));

/** Fails where the example would show an error. */
const CURL = 'curl --fail-with-body -sS ';

let provider: FakeProvider;
let spandrel: Spandrel;
beforeAll(async () => {
  provider = await startFakeProvider();
  spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
});
afterAll(async () => {
  await spandrel?.stop();
  await provider?.close();
});

const here = (code: string): string =>
  code
    .replaceAll('http://127.0.0.1:3000', spandrel.apiUrl)
    .replaceAll('http://127.0.0.1:3001', spandrel.gatewayUrl)
    .replaceAll('https://llm.example.com', provider.url);

function run(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    // Examples write files.
    cwd: tempDir(),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}

describe('README and guide', () => {
  it('have examples', () =>
    expect(examples.map(({ language }) => language)).toEqual(['js', 'js', 'sh', 'sh', 'sh', 'sh', 'sh']));

  it.each(examples.map((example, index) => [index + 1, example] as const))(
    'example %i works',
    async (_index, { language, code }) => {
      const api = new Api(spandrel.apiUrl);
      const before = (await api.spans()).length;
      if (language === 'js') {
        // Beside node_modules, so that the import resolves as in a project of the reader's.
        const file = resolve('dist', 'readme-example.mjs');
        writeFileSync(file, here(code));
        const { code: exit, output } = await run(process.execPath, [file], { OPENAI_API_KEY: 'sk-example' });
        expect([exit, output]).toEqual([0, '']);
      } else {
        const { code: exit, output } = await run(
          'bash',
          ['-euo', 'pipefail', '-c', here(code).replaceAll('curl ', CURL)],
          { KEY: 'sk-example' },
        );
        expect([exit, output]).toEqual([0, expect.stringMatching(/^\{.*\}/s)]);
      }
      if (/chat\/completions|completions\.create|\/complete"/.test(code)) {
        await until(async () => (await api.spans('status=completed')).length === before + 1);
      }
    },
  );
});

describe('the guide on cloud mode', () => {
  let postgres: TestPostgres;
  let server: Spandrel;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    await server?.stop();
    await postgres?.stop();
  });

  it('starts a server and a gateway, makes a key, and records a call in its project', async () => {
    expect(cloudExamples.map(({ language }) => language)).toEqual(['sh', 'sh', 'sh', 'js']);
    const [start, admin, gatewayLine, client] = cloudExamples.map(({ code }) => code) as [string, ...string[]];
    const env = await variablesOf(
      start
        .replace(/postgres:\/\/\S+/, await postgres.createDatabase('readme'))
        .replace(/^export REDIS_URL.*$/m, '')
        .replace('npm run server', ''),
    );
    server = await startSpandrel({ command: 'server', env });
    const { code, output } = await run(
      'bash',
      [
        '-euo',
        'pipefail',
        '-c',
        `${admin!.replaceAll('https://spandrel.example.com', server.apiUrl).replaceAll('curl ', CURL)}\necho "$KEY"`,
      ],
      { SPANDREL_ADMIN_TOKEN: env['SPANDREL_ADMIN_TOKEN']! },
    );
    expect([code, output]).toEqual([0, expect.stringMatching(/^\{"traces":\[\].*spn_sk_/s)]);
    const key = /spn_sk_\S+/.exec(output)![0];
    const [, ...assignments] = /^(.*) npm run gateway$/m.exec(gatewayLine!)!;
    const gateway = await startSpandrel({
      command: 'gateway',
      env: {
        ...(await variablesOf(
          assignments[0]!
            .replace('https://spandrel.example.com', server.apiUrl)
            .replace('spn_sk_…', key)
            .replaceAll(/(\w+=\S+)/g, 'export $1;'),
        )),
        SPANDREL_OPENAI_BASE_URL: provider.url,
      },
    });
    try {
      const file = resolve('dist', 'readme-cloud-example.mjs');
      const call =
        "await client.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });";
      const program = client!.replace('https://gateway.example.com', gateway.gatewayUrl);
      writeFileSync(file, `import OpenAI from 'openai';\n${program}\n${call}`);
      expect(await run(process.execPath, [file], { OPENAI_API_KEY: 'sk-example', SPANDREL_KEY: key })).toEqual({
        code: 0,
        output: '',
      });
      const api = new Api(server.apiUrl).as(key);
      await until(async () => (await api.spans('status=completed')).length === 1);
    } finally {
      await gateway.stop();
    }
  });
});

/** What the lines of a shell script export. */
async function variablesOf(script: string): Promise<Record<string, string>> {
  const { output } = await run('bash', ['-euc', `${script}\nenv -0`], {});
  const all = output.split('\0').map((line) => line.split(/=(.*)/s) as [string, string]);
  return Object.fromEntries(all.filter(([name]) => /^(SPANDREL_|DATABASE_URL|REDIS_URL)/.test(name)));
}

describe('npm start -- --help', () => {
  it('lists every setting of the guide', async () => {
    const { output } = await run(process.execPath, [resolve('dist', 'apps/cli/src/main.js'), 'serve', '--help'], {});
    const settings = [
      ...readFileSync(resolve('docs/guide.md'), 'utf8').matchAll(/`(--[a-z-]+|SPANDREL_[A-Z_]+)`/g),
    ].map(([, name]) => name!);
    expect(settings.length).toBeGreaterThan(10);
    for (const setting of settings) expect(output).toContain(setting);
  });
});
