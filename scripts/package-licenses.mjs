import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licenses of bundled packages, which ask to come along with every copy.
 * @param modules paths of the bundled files.
 * @returns one text: name, version and license of each package.
 */
export function licensesOf(modules) {
  const folders = new Set(modules.map(packageFolder).filter(Boolean));
  return [...folders].toSorted().map(licenseOf).join('\n\n');
}

function packageFolder(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replace(/[?#].*$/, ''))?.[0];
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((name) =>
    /^(license|licence|notice|copying)(-\w+)?(\.(md|txt))?$/i.test(name),
  );
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [
    `== ${name} ${version} (${typeof license === 'string' ? license : (license?.type ?? 'see its text')})`,
    ...texts,
  ].join('\n\n');
}
