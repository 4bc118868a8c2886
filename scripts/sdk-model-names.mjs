import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Packages whose types list the models of a provider. */
const SDKS = { openai: 'openai', anthropic: '@anthropic-ai/sdk' };

/** A type or a member that says which model is asked, up to its end. */
const MODEL = /(?:\btype \w*Model\w* =|\bmodel\??:)([^;]*);/g;

/**
 * The names of models that the installed SDKs' types list, by provider.
 * @returns {Record<string, string[]>} each list in the order of the alphabet.
 */
export function sdkModelNames() {
  const require = createRequire(import.meta.url);
  return Object.fromEntries(
    Object.entries(SDKS).map(([provider, name]) => {
      const folder = join(dirname(require.resolve(name)), 'resources');
      const texts = globSync('**/*.d.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
      const found = texts.flatMap((text) => [...withoutComments(text).matchAll(MODEL)]);
      const names = found.flatMap(([, union]) => [...union.matchAll(/'([^']+)'/g)].map(([, model]) => model));
      return [provider, [...new Set(names)].toSorted()];
    }),
  );
}

const withoutComments = (text) => text.replaceAll(/\/\*.*?\*\//gs, '');
