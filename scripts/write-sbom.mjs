/**
 * `npm run sbom`: writes dist/sbom.cdx.json, what the built program is made of, as CycloneDX 1.5. It is made of package-lock.json
 * and of the lists of bundled packages in dist/, offline, and twice the same for the same build (docs/operations.md#what-it-is-made-of).
 * `npm sbom --omit dev` leaves out what a development package needs too, the database's client among it.
 *
 * Usage: write-sbom.mjs [--dist <folder>] [--out <file>]. SOURCE_DATE_EPOCH gives it a time.
 */
import '../bin/require-node.mjs';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dist, out } = parseArgs({
  options: { dist: { type: 'string', default: join(root, 'dist') }, out: { type: 'string' } },
}).values;
const file = out ?? join(dist, 'sbom.cdx.json');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const bundled = new Set(['licenses.txt', 'dashboard/licenses.txt'].flatMap((name) => namesIn(join(dist, name))));

/** Places of package-lock.json by `name@version`; the same package may lie in several. */
const shipped = new Map();
for (const [place, entry] of Object.entries(packages)) {
  if (place === '' || entry.link) continue;
  const ref = refOf(place);
  if (entry.dev && !bundled.has(ref)) continue;
  shipped.set(ref, [...(shipped.get(ref) ?? []), place]);
}
const unknown = [...bundled].filter((ref) => !shipped.has(ref));
if (unknown.length > 0)
  throw new Error(`dist/ holds what package-lock.json has not: ${unknown.join(', ')}; build again`);

const refs = [...shipped.keys()].toSorted();
const { name, version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const self = `${name}@${version}`;
const content = {
  component: {
    'bom-ref': self,
    type: 'application',
    name,
    version,
    description,
    licenses: licensesOf(license),
    purl: purlOf(self),
  },
  components: refs.map(componentOf),
  dependencies: [
    { ref: self, dependsOn: dependenciesOf('') },
    ...refs.map((ref) => ({ ref, dependsOn: [...new Set(shipped.get(ref).flatMap(dependenciesOf))].toSorted() })),
  ],
};
const epoch = process.env.SOURCE_DATE_EPOCH;
const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: serialOf(JSON.stringify(content)),
  version: 1,
  metadata: {
    ...(epoch && { timestamp: new Date(Number(epoch) * 1_000).toISOString() }),
    lifecycles: [{ phase: 'build' }],
    component: content.component,
  },
  components: content.components,
  dependencies: content.dependencies,
};
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${refs.length} packages, ${bundled.size} of them bundled: ${file}`);

/** `name@version` of the packages that a list of licenses has. */
function namesIn(path) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^== (\S+) (\S+) \(/gm)].map(([, of, at]) => `${of}@${at}`);
}

/** The package's own name stands in its entry where it is installed under another one. */
function refOf(place) {
  const { name: own, version: at } = packages[place];
  return `${own ?? place.replace(/^.*node_modules\//, '')}@${at}`;
}

function componentOf(ref) {
  const entry = packages[shipped.get(ref)[0]];
  const at = ref.lastIndexOf('@');
  const isOptional = shipped.get(ref).every((place) => packages[place].optional);
  return {
    'bom-ref': ref,
    type: 'library',
    name: ref.slice(0, at),
    version: ref.slice(at + 1),
    scope: isOptional ? 'optional' : 'required',
    ...(entry.integrity && { hashes: hashesOf(entry.integrity) }),
    ...(entry.license && { licenses: licensesOf(entry.license) }),
    purl: purlOf(ref),
    properties: [{ name: 'spandrel:bundled', value: String(bundled.has(ref)) }],
  };
}

/** Where Node finds a package that one at a place asks for. */
function dependenciesOf(place) {
  const { dependencies, optionalDependencies } = packages[place];
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .map((asked) => foundFrom(place, asked))
    .filter((ref) => shipped.has(ref))
    .toSorted();
}

function foundFrom(place, asked) {
  for (let folder = place; ; folder = folder.replace(/(^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const found = `${folder === '' ? '' : `${folder}/`}node_modules/${asked}`;
    if (packages[found]) return refOf(found);
    if (folder === '') return undefined;
  }
}

function hashesOf(integrity) {
  return integrity.split(' ').map((one) => {
    const [, algorithm, digest] = /^sha(\d+)-(.+)$/.exec(one);
    return { alg: `SHA-${algorithm}`, content: Buffer.from(digest, 'base64').toString('hex') };
  });
}

/** One license by its SPDX id; what names several is an expression. */
function licensesOf(text) {
  return [/^[\w.+-]+$/.test(text) ? { license: { id: text } } : { expression: text.replace(/^\((.*)\)$/, '$1') }];
}

function purlOf(ref) {
  const at = ref.lastIndexOf('@');
  return `pkg:npm/${ref.slice(0, at).replace('@', '%40')}@${ref.slice(at + 1)}`;
}

/** A UUID that says the same of the same content. */
function serialOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
