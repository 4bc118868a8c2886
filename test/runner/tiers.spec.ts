import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** `npm run test:full` runs such files too, with Postgres alone: what else they describe would run twice. */
it('files of both tiers describe nothing beside what both databases must do', () => {
  const files = globSync('test/**/*.e2e-spec.ts')
    .filter((file) => !file.endsWith('.full.e2e-spec.ts'))
    .map((file) => [file, readFileSync(file, 'utf8')] as const)
    .filter(([, text]) => /\b(describeOn|for)BothDatabases\(/.test(text));
  expect(files.length).toBeGreaterThan(10);
  expect(
    files.filter(([, text]) => /^(describe|describeOnDatabase|it|test)\b/m.test(text)).map(([file]) => file),
  ).toEqual([]);
});
