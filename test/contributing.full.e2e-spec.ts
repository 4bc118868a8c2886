/** The worked example of CONTRIBUTING.md, carried out in a copy of the tree. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from './support/api.ts';
import { startSpandrel, tempDir } from './support/spandrel.ts';

const COPIED = [
  'apps',
  'bin',
  'config',
  'libs',
  'plugins',
  'scripts',
  'test',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.swcrc',
];

const [, section] = /^## Add a filter on spans\n(.*?)^## /ms.exec(readFileSync(resolve('CONTRIBUTING.md'), 'utf8'))!;
const blocks = [...section!.matchAll(/^ {3}```(diff|ts)\n(.*?)^ {3}```/gms)].map(([, language, text]) => {
  const [first, ...lines] = text!.split('\n').map((line) => line.slice(3));
  return { language, file: first!.replace(/^(#|\/\/) /, ''), text: lines.join('\n') };
});
const isOfPostgres = ({ file }: { file: string }): boolean => file.includes('/migrations/postgres/');

/** Applies a block as a reader would: its lines without a sign are what the file has there, once. */
function apply(root: string, { language, file, text }: (typeof blocks)[number]): void {
  const path = join(root, file);
  if (language === 'ts') return writeFileSync(path, text);
  let content = readFileSync(path, 'utf8');
  for (const hunk of text.trimEnd().split('\n@@\n')) {
    const lines = hunk.split('\n');
    const side = (sign: string): string =>
      lines
        .filter((line) => line.startsWith(' ') || line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    expect(content.split(side('-'))).toHaveLength(2);
    content = content.replace(side('-'), () => side('+'));
  }
  writeFileSync(path, content);
}

const statementsIn = (text: string): string[] => [...text.matchAll(/addSql\(\s*'([^']*)'/g)].map(([, sql]) => sql!);

describe('the worked example of a filter on spans', () => {
  const root = tempDir();
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
  const createMigration = () => run('libs/storage/scripts/create-migration.mjs', 'span-environment');

  beforeAll(() => {
    for (const path of COPIED) cpSync(resolve(path), join(root, path), { recursive: true });
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    for (const block of blocks.filter((each) => !isOfPostgres(each))) apply(root, block);
  });

  it('names what is to be written by hand for Postgres, and fails until it is there', () => {
    const { status, output } = createMigration();
    expect(status).toBe(1);
    const byHand = blocks.find(({ language }) => language === 'ts')!;
    expect(statementsIn(output)).toEqual(statementsIn(byHand.text));
    expect(globSync('libs/storage/src/migrations/sqlite/*-span-environment.ts', { cwd: root })).toHaveLength(1);
    for (const block of blocks.filter(isOfPostgres)) apply(root, block);
    expect(createMigration()).toEqual({
      status: 0,
      output: 'sqlite: nothing changed\npostgres: nothing changed\n',
    });
  });

  it('lists the spans that it is about', async () => {
    expect(run('scripts/build.mjs', '--only', 'server')).toEqual({ status: 0, output: '' });
    const spandrel = await startSpandrel({ command: 'server', program: join(root, 'dist/apps/cli/src/main.js') });
    try {
      // The document that traffic is compared with knows no such filter.
      const api = new Api(spandrel.apiUrl).unchecked;
      const spans = ['production', 'staging', undefined].map((environment, n) => ({
        id: `s${n}`,
        trace_id: 't',
        name: 's',
        kind: { type: 'tool_call', environment },
      }));
      expect((await api.post('/api/ingest', { traces: [{ id: 't' }], spans })).status).toBe(200);
      const found = async (query: string): Promise<string[]> =>
        (await api.get<{ spans: { id: string }[] }>(`/api/spans?${query}`)).body.spans.map(({ id }) => id).toSorted();
      expect(await found('environment=production')).toEqual(['s0']);
      expect(await found('environment=staging&kind=tool_call')).toEqual(['s1']);
      expect(await found('environment=none')).toEqual([]);
      expect(await found('kind=tool_call')).toEqual(['s0', 's1', 's2']);
    } finally {
      await spandrel.stop();
    }
  });
});
