import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';

interface TestFile {
  path: string;
}

const LongestFirst = createRequire(import.meta.url)('./longest-first.cjs') as new () => {
  sort(tests: TestFile[]): TestFile[];
  shard(tests: TestFile[], options: { shardIndex: number; shardCount: number }): TestFile[];
};

const test = (name: string) => ({
  path: `/made-up/test/${name}.e2e-spec.ts`,
  context: { config: { rootDir: '/made-up' } },
});
const names = ['evals/runs', 'a', 'b', 'transfer/transfer', 'c'];

it('begins with files that take long', () => {
  const sorted = new LongestFirst().sort(names.map(test)).map(({ path }) => path);
  expect(sorted).toEqual(['evals/runs', 'transfer/transfer', 'a', 'b', 'c'].map((name) => test(name).path));
});

it('gives each file to one shard', () => {
  const shards = [1, 2, 3].map((shardIndex) =>
    new LongestFirst().shard(names.map(test), { shardIndex, shardCount: 3 }).map(({ path }) => path),
  );
  expect(shards.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(new Set(shards.flat()).size).toBe(names.length);
});
