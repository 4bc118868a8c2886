/** Plugins from outside the repository: the examples of docs/plugins.md, as they stand there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, loadPlugins } from '@spandrel/kernel';
import { Api } from './support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';

const folder = tempDir();
for (const [, file, code] of readFileSync(resolve('docs/plugins.md'), 'utf8').matchAll(
  /^```\w+ file=(\S+)\n(.*?)^```/gms,
)) {
  writeFileSync(join(folder, file!), code!);
}

const acme = createServer((request, response) => {
  request.resume().on('end', () => {
    const unknown = request.url !== '/acme/ask';
    response.writeHead(unknown ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(unknown ? { problem: 'no such engine' } : { reply: 'At noon.', used: { in: 5, out: 2 } }),
    );
  });
});
let acmeUrl: string;
let spandrel: Spandrel;

beforeAll(async () => {
  await new Promise<void>((done) => acme.listen(0, '127.0.0.1', done));
  acmeUrl = `http://127.0.0.1:${(acme.address() as AddressInfo).port}`;
  writeFileSync(
    join(folder, 'my.yaml'),
    `plugins:\n  - openai\n  - ./max-length.ts\n  - use: ./acme.mjs\n    config: { base_url: '${acmeUrl}' }\n`,
  );
  spandrel = await startSpandrel({ args: ['--config', join(folder, 'my.yaml')] });
});
afterAll(async () => {
  await spandrel?.stop();
  acme.close();
});

describe('a provider plugin in a file of its own', () => {
  it('is loaded, configured, and reads the calls it recognises', async () => {
    const answer = await fetch(`${spandrel.gatewayUrl}/acme/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ engine: 'acme-1', question: 'When is high water?' }),
    });
    expect(await answer.json()).toEqual({ reply: 'At noon.', used: { in: 5, out: 2 } });
    const api = new Api(spandrel.apiUrl);
    await until(async () => (await api.spans('status=completed')).length === 1);
    expect(await api.spans()).toMatchObject([
      {
        name: 'acme-1',
        kind: { type: 'llm_call', provider: 'acme', model: 'acme-1', input_tokens: 5, output_tokens: 2 },
        input: [{ role: 'user', content: 'When is high water?' }],
        output: { text: 'At noon.' },
      },
    ]);
    expect(spandrel.output()).toContain('Acme calls go to their own host');
  });
});

describe('a scorer plugin in a file of its own', () => {
  it('is loaded, configured and scores', async () => {
    const entry = { use: join(folder, 'max-length.ts'), config: { characters: 3 } };
    const { scorers } = await loadPlugins([entry], createLogger('silent', 'test'));
    const [{ name, extension } = { name: undefined, extension: undefined }] = scorers;
    expect(name).toBe('MaxLength');
    const sample = {
      input: '',
      expected: undefined,
      complete: () => Promise.reject(new Error('no judge')),
      signal: new AbortController().signal,
    };
    expect(await extension?.score({ ...sample, output: '長崎🌊', config: undefined })).toEqual({
      score: 1,
      reason: '3 of 3 characters',
    });
    expect(await extension?.score({ ...sample, output: 'ab', config: { characters: 1 } })).toMatchObject({ score: 0 });
  });
});
