/**
 * Pins the images that Dockerfile and compose files begin with to digests, at a release: a version alone may name another image
 * tomorrow. `lint-deploy.mjs --release` demands it.
 *
 * Usage: pin-images.mjs [--from FILE] [--root FOLDER]. Digests come from the registry by `docker buildx imagetools inspect`, or from a file
 * with an image and its digest a line. A digest that is there is replaced.
 */
import '../bin/require-node.mjs';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DIGEST, FILES_WITH_IMAGES, foreignImages } from './foreign-images.mjs';

const { from, root } = parseArgs({
  options: {
    from: { type: 'string' },
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
  },
}).values;
const given =
  from &&
  Object.fromEntries(
    readFileSync(from, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)),
  );

for (const file of FILES_WITH_IMAGES) {
  const path = join(root, file);
  let text = readFileSync(path, 'utf8');
  for (const image of foreignImages(file, text)) {
    const name = image.split('@')[0];
    const digest = given ? given[name] : digestOf(name);
    if (!DIGEST.test(`@${digest}`)) throw new Error(`${name}: ${digest ?? 'nothing'} is no digest`);
    text = text.replaceAll(image, `${name}@${digest}`);
    console.log(`${file}: ${name}@${digest}`);
  }
  writeFileSync(path, text);
}

/** The digest of the list of all platforms. */
function digestOf(name) {
  const format = ['--format', '{{json .Manifest.Digest}}'];
  return JSON.parse(execFileSync('docker', ['buildx', 'imagetools', 'inspect', name, ...format], { encoding: 'utf8' }));
}
