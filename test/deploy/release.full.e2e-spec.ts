/** What is checked at a release: Node's signature, and that images of others are pinned to their bytes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tempDir } from '../support/spandrel.ts';

const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });

const hasGpg = ['gpg', 'gpgv'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasGpg && process.env['SPANDREL_REQUIRE_SERVICES']) throw new Error('gpg and gpgv are missing');

(hasGpg ? describe : describe.skip)('verify-node', () => {
  const NAME = 'node-v26.12.1-linux-x64';
  let folder: string;
  const at = (name: string): string => join(folder, name);
  const gpg = (home: string, ...args: string[]): Buffer =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--yes', '--pinentry-mode', 'loopback', '--passphrase', '', ...args], { stdio: 'pipe' }); // prettier-ignore
  const makeKey = (name: string): string => {
    const home = at(name);
    mkdirSync(home, { mode: 0o700 });
    gpg(home, '--quick-generate-key', `${name}@release.example`, 'ed25519', 'sign', 'never');
    gpg(home, '--output', at(`${name}.gpg`), '--export');
    return home;
  };
  const verify = (changes: Record<string, string> = {}) => {
    const given = {
      shasums: 'SHASUMS256.txt.asc',
      keyring: 'team.gpg',
      archive: `${NAME}.tar.gz`,
      binary: 'node',
      ...changes,
    };
    return run('scripts/verify-node.mjs', ...Object.entries(given).flatMap(([flag, name]) => [`--${flag}`, at(name)]));
  };
  beforeAll(() => {
    folder = tempDir();
    mkdirSync(at(`${NAME}/bin`), { recursive: true });
    for (const path of [`${NAME}/bin/node`, 'node']) writeFileSync(at(path), 'the binary of a release');
    writeFileSync(at('other-node'), 'the binary of somebody else');
    execFileSync('tar', ['--create', '--gzip', '--directory', folder, '--file', at(`${NAME}.tar.gz`), NAME]);
    const sum = createHash('sha256')
      .update(readFileSync(at(`${NAME}.tar.gz`)))
      .digest('hex');
    writeFileSync(at('sums'), `${'0'.repeat(64)}  node-v26.12.1-darwin-arm64.tar.gz\n${sum}  ${NAME}.tar.gz\n`);
    const team = makeKey('team');
    const stranger = makeKey('stranger');
    gpg(team, '--output', at('SHASUMS256.txt.asc'), '--clear-sign', at('sums'));
    gpg(stranger, '--output', at('strange.asc'), '--clear-sign', at('sums'));
    const signed = readFileSync(at('SHASUMS256.txt.asc'), 'utf8');
    writeFileSync(at('changed.asc'), signed.replace(sum, 'f'.repeat(64)));
    writeFileSync(at('around.asc'), `${'f'.repeat(64)}  node-v9.9.9-linux-x64.tar.gz\n${signed}`);
    mkdirSync(at('changed'));
    writeFileSync(at(`changed/${NAME}.tar.gz`), 'another archive');
    copyFileSync(at(`${NAME}.tar.gz`), at('node-v9.9.9-linux-x64.tar.gz'));
  });

  afterAll(() => {
    for (const home of ['team', 'stranger']) spawnSync('gpgconf', ['--homedir', at(home), '--kill', 'gpg-agent']);
  });

  it('takes the binary of an archive whose checksum is signed', () => {
    const { status, stdout } = verify();
    expect([status, stdout]).toEqual([0, expect.stringContaining('whose checksum is signed')]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a binary that is not the archive’s', { binary: 'other-node' }, /is not the binary of/],
    ['an archive that was changed', { archive: `changed/${NAME}.tar.gz` }, /has not the checksum/],
    ['a list that was changed', { shasums: 'changed.asc' }, /BAD signature/],
    ['a list that a stranger signed', { shasums: 'strange.asc' }, /Can't check signature|No public key/],
    ['a list that nobody signed', { shasums: 'sums' }, /not verified: \S/],
    [
      'what stands beside the signed text',
      { shasums: 'around.asc', archive: 'node-v9.9.9-linux-x64.tar.gz' },
      /is not in the list/,
    ],
  ])('refuses %s', (_name, changes, why) => {
    const { status, stderr } = verify(changes);
    expect([status, stderr]).toEqual([1, expect.stringMatching(why)]);
  });
});

describe('pin-images', () => {
  const digest = `sha256:${'a'.repeat(64)}`;

  it('pins what others made, and the lint of a release sees whether that was done', async () => {
    const {
      FILES_WITH_IMAGES: files,
      foreignImages,
      unpinnedImages,
    } = (await import('../../scripts/foreign-images.mjs' as string)) as {
      FILES_WITH_IMAGES: string[];
      foreignImages(file: string, text: string): string[];
      unpinnedImages(file: string, text: string): string[];
    };
    const root = tempDir();
    cpSync('deploy/clickhouse', join(root, 'deploy/clickhouse'), { recursive: true });
    for (const file of files) copyFileSync(file, join(root, file));
    const images = files.flatMap((file) => foreignImages(file, readFileSync(file, 'utf8')));
    expect(images).toEqual(
      expect.arrayContaining([expect.stringMatching(/^node:26\./), expect.stringMatching(/^postgres:/)]),
    );
    writeFileSync(join(root, 'digests'), images.map((image) => `${image.split('@')[0]} ${digest}`).join('\n'));
    const pinned = run('scripts/pin-images.mjs', '--from', join(root, 'digests'), '--root', root);
    expect([pinned.status, pinned.stderr]).toEqual([0, '']);
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(unpinnedImages(file, text)).toEqual([]);
      expect(unpinnedImages(file, text.replaceAll(`@${digest}`, ''))).not.toEqual([]);
      expect(text.replaceAll(`@${digest}`, '')).toBe(
        readFileSync(file, 'utf8').replaceAll(/@sha256:[0-9a-f]{64}/g, ''),
      );
    }
  });

  it('refuses what is no digest', () => {
    const root = tempDir();
    for (const file of ['Dockerfile', 'compose.yaml']) copyFileSync(file, join(root, file));
    writeFileSync(join(root, 'digests'), 'node:26.12.1-bookworm-slim sha256:1');
    expect(run('scripts/pin-images.mjs', '--from', join(root, 'digests'), '--root', root).status).toBe(1);
  });
});
