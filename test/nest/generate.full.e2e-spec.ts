/** Nest's generators put what they make where it belongs, and it compiles (CONTRIBUTING.md#run-and-test). */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tempDir } from '../support/spandrel.ts';

const MODULE = `import { Module } from '@nestjs/common';

@Module({})
export class QueueModule {}
`;

/** A folder with the settings of this repository, and a lib with an empty module in it. */
function copyOfRepository(): string {
  const folder = tempDir();
  for (const file of ['package.json', 'nest-cli.json']) cpSync(file, join(folder, file));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'libs/queue/src'), { recursive: true });
  writeFileSync(join(folder, 'libs/queue/src/queue.module.ts'), MODULE);
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['libs'] }));
  return folder;
}

const run = (folder: string, file: string, ...args: string[]): string =>
  execFileSync(process.execPath, [resolve('node_modules', file), ...args], { cwd: folder, encoding: 'utf8' });

describe('nest generate', () => {
  it('puts what it makes beside the others of its lib, and it compiles', () => {
    const folder = copyOfRepository();
    const kinds = ['service', 'controller', 'module'];
    for (const kind of kinds) {
      run(folder, '@nestjs/cli/bin/nest.js', 'generate', kind, 'review-policy', '--project', 'queue');
    }
    const made = readdirSync(join(folder, 'libs/queue/src/review-policy'));
    expect(made.toSorted()).toEqual(kinds.map((kind) => `review-policy.${kind}.ts`).toSorted());
    const module = readFileSync(join(folder, 'libs/queue/src/queue.module.ts'), 'utf8');
    for (const kind of kinds) expect(module).toContain(`from './review-policy/review-policy.${kind}.js'`);
    run(folder, 'typescript7/bin/tsc', '--noEmit', '-p', '.');
  });

  it('knows every lib', () => {
    const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as { projects: object };
    const known = Object.keys(projects);
    expect(readdirSync('libs').filter((name) => !known.includes(name))).toEqual([]);
  });
});
