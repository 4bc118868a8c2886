/** The package of types that plugin authors install, and the plugin to copy: used as somebody would without the server. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { tempDir } from './support/spandrel.ts';

const TSC = [resolve('node_modules/typescript7/bin/tsc'), '--singleThreaded'];
const TEMPLATE = resolve('docs/examples/provider-plugin');
const ROOT = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string; dependencies: { zod: string } };

/** The TypeScript of two pages that is a file, by its name. */
const examples = new Map(
  ['docs/plugins.md', 'docs/otlp.md']
    .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/^```ts file=(\S+)\n(.*?)^```/gms)])
    .map(([, file, code]): [string, string] => [file!, code!]),
);

/** The build, two tarballs, an installation and a run of the compiler, on a machine that may be slow. */
const BUILD_MS_MAX = 600_000;

interface Done {
  code: number | null;
  output: string;
}

function run(folder: string, command: string, ...args: string[]): Done {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  return { code: status, output: stdout + stderr };
}

/** @returns the standard output. @throws with all output when the command fails. */
function must(folder: string, command: string, ...args: string[]): string {
  const { code, output } = run(folder, command, ...args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${code}\n${output}`);
  return output;
}

/** Faults in the examples, each by what is replaced by what, and what the compiler says of it. */
const FAULTS: [file: string, text: string, by: string, says: RegExp][] = [
  ['harbour.ts', 'headers:', 'header:', /'header' does not exist/],
  ['harbour.ts', "'openai'", "'opanai'", /"opanai"/],
  ['harbour.ts', 'input: 2, ', '', /'input' is missing/],
  ['acme.ts', 'body.used?.in', 'body.used.in', /possibly 'undefined'/],
  ['acme.ts', 'prompt })', 'promt })', /'promt' does not exist/],
  ['max-length.ts', 'config.characters ?', 'config.words ?', /'words' does not exist/],
  ['desk.ts', "'llm_call'", "'llm_cal'", /llm_cal/],
  ['harbour-team.ts', 'z.string()', 'z.strin()', /'strin' does not exist/],
];
const faultyFile = (at: number): string => `faulty-${at}.ts`;

describe('@spandrel/plugin-api in an empty project', () => {
  const project = tempDir();
  /** What the compiler says of the examples and of the faulty ones: once for all, as it takes seconds. */
  let compiler: Done;

  beforeAll(() => {
    const built = join(tempDir(), 'plugin-api');
    must(resolve('.'), process.execPath, 'scripts/build-plugin-api.mjs', '--out', built);
    const npm = (...args: string[]): string => must(project, 'npm', ...args, '--ignore-scripts', '--loglevel=error');
    writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
    npm('pack', built, resolve('node_modules/zod'));
    npm(
      'install',
      // An empty cache and no registry: nothing but the tarballs.
      ...['--offline', '--no-audit', '--no-fund', '--cache', tempDir()],
      `./spandrel-plugin-api-${ROOT.version}.tgz`,
      `./zod-${ROOT.dependencies.zod}.tgz`,
    );
    for (const [file, code] of examples) writeFileSync(join(project, file), code);
    FAULTS.forEach(([file, text, by], at) => {
      const code = examples.get(file)!;
      expect(code).toContain(text);
      writeFileSync(join(project, faultyFile(at)), code.replace(text, by));
    });
    const checks = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck', 'false'];
    compiler = run(project, process.execPath, ...TSC, ...checks, ...examples.keys(), ...FAULTS.keys().map(faultyFile));
  }, BUILD_MS_MAX);

  it('is all that the examples of docs/plugins.md and docs/otlp.md need', () => {
    const installed = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(installed.packages)).toEqual(['', 'node_modules/@spandrel/plugin-api', 'node_modules/zod']);
    expect([...examples.keys()]).toEqual([
      'harbour.ts',
      'acme.ts',
      'harbour-team.ts',
      'max-length.ts',
      'employee-number.ts',
      'desk.ts',
    ]);
    const faults = compiler.output.split('\n').filter((line) => /^\S/.test(line));
    expect(faults.filter((line) => !line.startsWith('faulty-'))).toEqual([]);
  });

  it.each(FAULTS.map(([file, text, by, says], at) => [file, by, text, says, at] as const))(
    'finds a fault in %s with %j for %j',
    (_file, _by, _text, says, at) => {
      expect(compiler.output).toMatch(new RegExp(`^${faultyFile(at)}\\(.*(\\n .*)*${says.source}`, 'm'));
    },
  );

  it('keeps a provider in the format of OpenAI within 15 lines, and another under 40', () => {
    const lines = (file: string): number => examples.get(file)!.trimEnd().split('\n').length;
    expect(lines('harbour.ts')).toBeLessThanOrEqual(15);
    expect(lines('acme.ts')).toBeLessThan(40);
  });

  describe('the plugin to copy', () => {
    const copy = join(project, 'provider-plugin');
    beforeAll(() => {
      cpSync(TEMPLATE, copy, { recursive: true });
      mkdirSync(join(project, 'node_modules/@types'));
      symlinkSync(resolve('node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    });

    it('is the example, and wants the package of this version', () => {
      expect(readFileSync(join(TEMPLATE, 'src/acme.ts'), 'utf8')).toBe(examples.get('acme.ts'));
      const { devDependencies } = JSON.parse(readFileSync(join(TEMPLATE, 'package.json'), 'utf8')) as {
        devDependencies: Record<string, string>;
      };
      expect(devDependencies['@spandrel/plugin-api']).toBe(`^${ROOT.version}`);
    });

    it('passes the contract suite as it is, and fails it when it reads something else', () => {
      const test = (): Done => run(copy, process.execPath, '--test', '--test-reporter=tap', '--no-warnings');
      const passed = test();
      expect(passed).toMatchObject({ code: 0, output: expect.stringMatching(/^# pass 2\d$/m) });
      const source = join(copy, 'src/acme.ts');
      const code = readFileSync(source, 'utf8');
      writeFileSync(source, code.replace('body.reply', 'body.answer'));
      expect(test()).toMatchObject({ code: 1, output: expect.stringMatching(/^ *not ok \d+ - reads its answer$/m) });
      writeFileSync(source, code);
    });

    it('compiles to what a package needs', async () => {
      must(copy, process.execPath, ...TSC, '-p', '.');
      const { default: acme } = (await import(join(copy, 'dist/acme.js'))) as { default: { name: string } };
      expect(acme.name).toBe('acme');
    });
  });
});
