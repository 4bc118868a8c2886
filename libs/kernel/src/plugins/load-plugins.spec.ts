import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../log/logger.js';
import { loadPlugins } from './load-plugins.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-plugins-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const silent = createLogger('silent', 'test');
const load = (...entries: { use: string; config?: Record<string, unknown> }[]) =>
  loadPlugins(
    entries.map(({ use, config = {} }) => ({ use, config })),
    silent,
  );

const plugin = (file: string, body: string): string => {
  const path = join(folder, file);
  writeFileSync(path, body);
  return path;
};
const scorer = (file: string, members: string): string =>
  plugin(
    file,
    `export default { extensionPoint: 'scorer', apiVersion: 1, name: 'Mine', setup: () => ({ needsExpected: false, score: () => ({ score: 1 }) }), ${members} };`,
  );

describe('loadPlugins', () => {
  it('loads the built-in providers by name, in the order of config', async () => {
    const registry = await load({ use: 'ollama' }, { use: 'openai' });
    expect(registry.providers.map(({ name }) => name)).toEqual(['ollama', 'openai']);
    expect(registry.scorers).toEqual([]);
  });

  it('loads the built-in scorers under their names on the wire', async () => {
    const { scorers } = await load({ use: 'exact-match' }, { use: 'contains' }, { use: 'llm-judge' }, { use: 'none' });
    expect(scorers.map(({ name, extension }) => [name, extension.needsExpected])).toEqual([
      ['ExactMatch', true],
      ['Contains', true],
      ['LlmJudge', false],
      ['None', false],
    ]);
  });

  it('loads a file, checks its config with the zod it is given, and hands it to setup', async () => {
    const path = plugin(
      'length.ts',
      `type Config = { limit: number };
       export default {
         extensionPoint: 'scorer', apiVersion: 1, name: 'Length',
         config: (z: any) => z.strictObject({ limit: z.number().default(10) }),
         setup: (deps: { logger: { info(message: string): void } }, config: Config) => {
           deps.logger.info('ready');
           return { needsExpected: false, score: ({ output }: { output: string }) => ({ score: output.length <= config.limit ? 1 : 0 }) };
         },
       };`,
    );
    const { scorers } = await load({ use: path, config: { limit: 3 } });
    expect(scorers[0]?.name).toBe('Length');
    expect(await scorers[0]?.extension.score({ output: 'abcd' } as never)).toEqual({ score: 0 });
  });

  it.each([
    [
      'bad config',
      () => scorer('config.mjs', 'config: (z) => z.strictObject({ depth: z.number() })'),
      /config depth: .*number/,
    ],
    ['config it does not take', () => scorer('no-config.mjs', ''), /config: .*depth/],
    [
      'another apiVersion',
      () => scorer('version.mjs', 'apiVersion: 2'),
      /wants apiVersion 2; this Spandrel has apiVersion 1/,
    ],
    [
      'a setup that throws',
      () => scorer('throws.mjs', "config: (z) => z.any(), setup() { throw new Error('no model file'); }"),
      /setup failed: no model file/,
    ],
    [
      'a setup that returns nothing',
      () => scorer('nothing.mjs', 'config: (z) => z.any(), setup() {}'),
      /setup returned no extension/,
    ],
    [
      'a scorer that cannot score',
      () => scorer('scoreless.mjs', 'config: (z) => z.any(), setup: () => ({ needsExpected: true })'),
      /without a score function/,
    ],
    [
      'a scorer that does not say what it needs',
      () => scorer('needless.mjs', 'config: (z) => z.any(), setup: () => ({ score() {} })'),
      /needsExpected .* must be true or false/,
    ],
    [
      'a scorer that says something else of its judge',
      () =>
        scorer(
          'judge.mjs',
          "config: (z) => z.any(), setup: () => ({ needsExpected: true, asksJudge: 'yes', score() {} })",
        ),
      /asksJudge .* must be true or false/,
    ],
    [
      'a scorer that says something else of its scores',
      () =>
        scorer(
          'graded.mjs',
          'config: (z) => z.any(), setup: () => ({ needsExpected: true, isGraded: 0.5, score() {} })',
        ),
      /isGraded .* must be true or false/,
    ],
    [
      'an unknown extension point',
      () => scorer('point.mjs', "extensionPoint: 'storage'"),
      /extensionPoint must be one of provider, scorer, search-index, read-store, dialect/,
    ],
    ['a bad name', () => scorer('name.mjs', "name: 'a b'"), /name must be/],
    ['no default export', () => plugin('none.mjs', 'export const a = 1;'), /no default export/],
    ['a syntax error', () => plugin('syntax.mjs', 'export default {'), /cannot be loaded/],
  ])('refuses %s with the reason', async (_what, path, reason) => {
    const use = path();
    const refused = load({ use, config: { depth: 'x' } });
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(`plugin "${use}"`);
  });

  const declaration = (file: string, members: string): string =>
    plugin(file, `export default { extensionPoint: 'provider', apiVersion: 1, name: 'house', ${members} };`);

  it('completes a provider that is declared, or that setup declares', async () => {
    const members = "format: 'openai', baseUrl: 'https://llm.example/v1', prices: { m: { input: 1, output: 2 } }";
    const declared = declaration('declared.mjs', members);
    const config = 'config: (z) => z.strictObject({ team: z.string() })';
    const setUp = declaration(
      'set-up.mjs',
      `name: 'team', ${config}, setup: (_deps, { team }) => ({ ${members}, headers: () => ({ team }) })`,
    );
    const { providers } = await load(
      { use: declared, config: { base_url: 'http://127.0.0.1:1/v1' } },
      { use: setUp, config: { team: 'tides' } },
    );
    const call = { model: 'm', messages: [] };
    const built = providers.map(({ extension }) => extension.chat.buildRequest({ baseUrl: null, apiKey: 'k' }, call));
    expect(built.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:1/v1/chat/completions',
      'https://llm.example/v1/chat/completions',
    ]);
    expect(built[1]!.headers).toMatchObject({ team: 'tides' });
    for (const { extension } of providers) expect(extension.prices).toEqual({ m: { input: 1, output: 2 } });
  });

  it('takes a whole provider as it is, whatever members it has of its own', async () => {
    const use = declaration('whole.mjs', 'setup: () => ({ baseUrl: 7, endpoint() { return this.baseUrl; } })');
    const { providers } = await load({ use });
    expect(providers[0]!.extension.endpoint({ method: 'POST', path: '/', headers: {} })).toBe(7);
  });

  it.each<[what: string, members: string, reason: RegExp, config?: Record<string, unknown>]>([
    ['neither setup nor base', '', /has no setup function and no baseUrl/],
    ['a base that is no URL', "format: 'openai', baseUrl: 'llm.example'", /: baseUrl: must be an http or https URL/],
    ['a format nobody reads', "format: 'acme', baseUrl: 'http://x'", /: format: must be openai, or left out/],
    ['no endpoints', "baseUrl: 'http://x'", /: endpoints: /],
    ['a misspelt member', "format: 'openai', baseUrl: 'http://x', header: () => ({})", /header/],
    [
      'a reader that is none',
      "baseUrl: 'http://x', endpoints: { '/a': { readRequest: 1 } }",
      /readRequest: must be a function/,
    ],
    ['a host with capitals', "format: 'openai', baseUrl: 'http://x', hosts: ['X.example']", /hosts.0.*lower case/],
    ['a host with its port', "format: 'openai', baseUrl: 'http://x', hosts: ['x.example:80']", /without port/],
    ['a path without its slash', "baseUrl: 'http://x', endpoints: { a: {} }", /endpoints/],
    [
      'a price below nothing',
      "format: 'openai', baseUrl: 'http://x', prices: { m: { input: -1, output: 0 } }",
      /prices\.m\.input/,
    ],
    ['a price in a whole provider', 'setup: () => ({ prices: { m: { in: 1 } } })', /prices\.m/],
    ['config it does not take', "format: 'openai', baseUrl: 'http://x'", /config: .*depth/, { depth: 1 }],
  ])('refuses a provider with %s', async (what, members, reason, config = {}) => {
    const use = declaration(`${what.replaceAll(' ', '-')}.mjs`, members);
    await expect(load({ use, config })).rejects.toThrow(reason);
  });

  const dialect = (file: string, members: string): string =>
    plugin(
      file,
      `export default { extensionPoint: 'dialect', apiVersion: 1, name: 'acme', setup: () => ({ ${members} }) };`,
    );

  it("asks a user's dialect before the built-in ones, in the order of config", async () => {
    const use = dialect('dialect.mjs', "claims: { attributes: ['acme.*'] }, read: () => ({ model: 'm' })");
    const { dialects } = await load({ use }, { use: 'openinference' }, { use: 'gen-ai' });
    expect(dialects.map(({ name }) => name)).toEqual(['acme', 'openinference', 'gen-ai']);
    expect(dialects[0]!.extension.read({} as never)).toEqual({ model: 'm' });
  });

  it.each([
    ['nothing that reads', "claims: { attributes: ['a'] }", /without a read function/],
    ['no claims', 'read: () => undefined', /claims of its dialect must have lists of names/],
    ['claims of nothing', 'claims: { attributes: [] }, read: () => undefined', /claims of its dialect/],
    ['a claim that is no list', "claims: { attributes: 'acme.*' }, read: () => undefined", /claims of its dialect/],
  ])('refuses a dialect with %s', async (what, members, reason) => {
    await expect(load({ use: dialect(`${what.replaceAll(' ', '-')}.mjs`, members) })).rejects.toThrow(reason);
  });

  it('refuses a file that is not there, and a name nobody has', async () => {
    await expect(load({ use: join(folder, 'absent.mjs') })).rejects.toThrow(/no such file/);
    await expect(load({ use: 'opnai' })).rejects.toThrow(
      /no built-in plugin \(.*openai.*\) and no installed npm package/,
    );
  });

  it('refuses a name that is taken, and reports all faults at once', async () => {
    const one = scorer('one.mjs', '');
    const two = scorer('two.mjs', '');
    const faults = await load({ use: one }, { use: two }, { use: 'absent-package' }).catch(
      (error: { faults: string[] }) => error.faults,
    );
    expect(faults).toEqual([
      expect.stringMatching(/two\.mjs.*"Mine" is already taken/),
      expect.stringMatching(/absent-package/),
    ]);
  });
});

describe('configure of a loaded scorer', () => {
  const configured = async (
    schema: string,
    config: Record<string, unknown>,
    overrides: Record<string, unknown> | null,
  ) => {
    const use = scorer(`configured-${++files}.mjs`, `config: (z) => ${schema}`);
    const { scorers } = await load({ use, config });
    return scorers[0]!.configure(overrides);
  };
  let files = 0;
  const schema = 'z.strictObject({ words: z.number().default(9), within: z.object({ a: z.number() }).optional() })';

  it.each<[what: string, config: Record<string, unknown>, overrides: Record<string, unknown> | null, result: unknown]>([
    ['completes what nobody gives', {}, null, { words: 9 }],
    ['takes what yaml gives', { words: 3 }, null, { words: 3 }],
    ['lays what the run gives over it', { words: 3, within: { a: 1 } }, { words: 4 }, { words: 4, within: { a: 1 } }],
    [
      'takes a member of the run whole',
      { within: { a: 1, b: 2 } },
      { within: { a: 2 } },
      { words: 9, within: { a: 2 } },
    ],
  ])('%s', async (_what, config, overrides, result) => {
    expect(await configured(schema, config, overrides)).toEqual({ config: result });
  });

  it('reports every fault of what the run gives, by its path', async () => {
    expect(await configured(schema, {}, { words: 'x', within: { a: 'y' }, more: 1 })).toEqual({
      faults: [
        { path: 'words', message: expect.stringMatching(/number/) },
        { path: 'within.a', message: expect.stringMatching(/number/) },
        { path: 'more', message: expect.stringMatching(/^is not a member of this object/) },
      ],
    });
  });

  it('takes no config where the plugin has no schema', async () => {
    const { scorers } = await load({ use: 'exact-match' });
    expect(scorers[0]!.configure(undefined)).toEqual({ config: {} });
    expect(scorers[0]!.configure({ trim: true })).toEqual({
      faults: [{ path: 'trim', message: 'is not a member of this object, which takes none' }],
    });
  });

  it('makes a fault of a schema that throws', async () => {
    const throwing = "z.any().transform((config) => { if (config.boom) throw new Error('boom'); return config; })";
    expect(await configured(throwing, {}, { boom: true })).toEqual({
      faults: [{ path: '', message: 'cannot be checked: boom' }],
    });
    expect(await configured(throwing, {}, { calm: 1 })).toEqual({ config: { calm: 1 } });
    const later = 'z.any().refine(async () => true)';
    expect(await configured(later, {}, {})).toEqual({
      faults: [{ path: '', message: expect.stringMatching(/cannot be checked/) }],
    });
  });

  it('keeps the config of one run from the next', async () => {
    const { scorers } = await load({ use: scorer('runs.mjs', `config: (z) => ${schema}`), config: { words: 3 } });
    scorers[0]!.configure({ words: 5 });
    expect(scorers[0]!.configure({})).toEqual({ config: { words: 3 } });
  });
});
