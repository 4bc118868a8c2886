/** What `npm run release` makes, and that these files alone are enough on a machine without a network (docs/releases.md). */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { tempDir } from '../support/spandrel.ts';
import { usersPath } from '../support/users-path.ts';

const REVISION = '0'.repeat(40);
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
/** Two builds, the types of two packages and 150 MB of Node to compress, on a machine that may be slow. */
const RELEASE_MS_MAX = 900_000;

/** Without tools it fails where services are required; where the kernel forbids namespaces it cannot be shown. */
const refusal = namespaceRefusal();

function namespaceRefusal(): string | undefined {
  const tried = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  if (tried.status === 0) return undefined;
  const isMissing = tried.error !== undefined || tried.status === 127;
  if (isMissing && process.env['SPANDREL_REQUIRE_SERVICES'] === '1') throw new Error('unshare or ip is missing');
  return (tried.error?.message ?? tried.stderr).trim();
}

function release(out: string, ...args: string[]): void {
  const made = spawnSync(process.execPath, ['scripts/release.mjs', '--out', out, '--revision', REVISION, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: usersPath() },
  });
  if (made.status !== 0) throw new Error(made.stderr);
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('a release', () => {
  const out = tempDir();
  const files = (): string[] => readdirSync(out).toSorted();
  beforeAll(() => release(out), RELEASE_MS_MAX);

  it('is the files that docs/releases.md lists', () => {
    const named = [...readFileSync('docs/releases.md', 'utf8').matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => name);
    expect(files()).toEqual(named.toSorted());
  });

  it('has checksums of all of them, and a provenance that names these and the commit', () => {
    const sums = files().filter((name) => name !== 'SHA256SUMS');
    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(
      sums.map((name) => `${sha256(join(out, name))}  ${name}\n`).join(''),
    );
    const statement = JSON.parse(readFileSync(join(out, `spandrel-${version}.intoto.jsonl`), 'utf8'));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          externalParameters: { version },
          resolvedDependencies: expect.arrayContaining([{ name: 'source', digest: { gitCommit: REVISION } }]),
        },
      },
    });
    const subject = sums
      .filter((name) => !name.endsWith('.intoto.jsonl'))
      .map((name) => ({ name, digest: { sha256: sha256(join(out, name)) } }));
    expect(statement.subject).toEqual(subject);
  });

  it(
    'has the same bytes when it is made again',
    () => {
      const again = tempDir();
      release(again, '--without-node');
      const digests = (folder: string) =>
        Object.fromEntries(
          readdirSync(folder)
            // They name Node's archive, which the second one leaves out.
            .filter((name) => !/^node-|^SHA256SUMS$|\.intoto\.jsonl$/.test(name))
            .map((name) => [name, sha256(join(folder, name))]),
        );
      expect(digests(again)).toEqual(digests(out));
    },
    RELEASE_MS_MAX,
  );

  const title = 'records a call on a machine without a network';
  (refusal === undefined ? it : it.skip)(
    refusal === undefined ? title : `${title} (no network namespace: ${refusal})`,
    () => {
      const { status, stdout, stderr } = spawnSync(
        'unshare',
        ['-rn', process.execPath, resolve('test/release/air-gapped.ts'), out, tempDir()],
        { encoding: 'utf8', env: { PATH: usersPath() } },
      );
      expect([status, stderr]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(stdout)).toEqual({
        outside: 'ENETUNREACH',
        call: 200,
        pages: [200, 200, 200, 200],
        packages: 'true,0,0,true',
        spans: ['gpt-4o-mini', 'step'],
      });
    },
    RELEASE_MS_MAX,
  );
});
