import { readFileSync } from 'node:fs';
import { nearestName } from '../nearest-name.js';

/** A secret is also read from the file that its variable with this ending names. */
export const FILE_SUFFIX = '_FILE';

const PREFIX = 'SPANDREL_';

/** Variables that are no settings: of the config file, of a command, of clients as the documents show them, of the tests. */
const OTHERS = [
  'SPANDREL_CONFIG',
  'SPANDREL_NEW_SECRET_KEY',
  'SPANDREL_NEW_SECRET_KEY_FILE',
  'SPANDREL_KEY',
  'SPANDREL_CHECK_ROWS',
  'SPANDREL_ANSWERED_QUERIES',
  'SPANDREL_REQUIRE_SERVICES',
];
const OF_TESTS = /^SPANDREL_TEST_/;

/** What Kubernetes and Docker's links put into the environment beside a service that is called spandrel. */
const OF_SERVICES = /_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_|$)/;

/** The variables of every program's settings, which config/default.yaml names beside them. */
export function knownVariables(defaultFile: string): Set<string> {
  const names = readFileSync(defaultFile, 'utf8').match(/\b[A-Z]+(?:_[A-Z0-9]+)+\b/g) ?? [];
  return new Set([...OTHERS, ...names]);
}

/** A line for each variable of ours that nothing reads, with the one that was probably meant. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !OF_TESTS.test(name) && !OF_SERVICES.test(name))
    .toSorted()
    .map((name) => `${name}: there is no such variable, it has no effect${meant(name, known)}`);
}

function meant(name: string, known: ReadonlySet<string>): string {
  const withoutFile = name.slice(0, -FILE_SUFFIX.length);
  if (name.endsWith(FILE_SUFFIX) && known.has(withoutFile)) return `; ${withoutFile} is not read from a file, set it`;
  // Compared without the prefix, which some have and some have not.
  const byStem = new Map([...known].map((each) => [stem(each), each]));
  const nearest = nearestName(stem(name), byStem.keys());
  return nearest === undefined ? '' : `; did you mean ${byStem.get(nearest)}?`;
}

const stem = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);
