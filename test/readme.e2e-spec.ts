/** The README's examples, run as they stand there (ports and the example provider apart). */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { Api } from './support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';

const examples = [...readFileSync(resolve('README.md'), 'utf8').matchAll(/^```(sh|js)\n(.*?)^```/gms)]
  .map(([, language, code]) => ({ language, code: code! }))
  .filter(({ code }) => code.includes('127.0.0.1'));

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

describe('the README', () => {
  it('has examples', () =>
    expect(examples.map(({ language }) => language)).toEqual(['js', 'sh', 'sh', 'sh', 'sh', 'sh']));

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
          ['-euo', 'pipefail', '-c', here(code).replaceAll('curl ', 'curl --fail-with-body -sS ')],
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

describe('npm start -- --help', () => {
  it('lists every setting of the README', async () => {
    const { output } = await run(process.execPath, [resolve('dist', 'apps/cli/src/main.js'), 'serve', '--help'], {});
    const settings = [...readFileSync(resolve('README.md'), 'utf8').matchAll(/`(--[a-z-]+|SPANDREL_[A-Z_]+)`/g)].map(
      ([, name]) => name!,
    );
    expect(settings.length).toBeGreaterThan(10);
    for (const setting of settings) expect(output).toContain(setting);
  });
});
