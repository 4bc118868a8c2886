import type { MaskingRule } from '@spandrel/contract';
import type { LoadedMasker, PluginEntry } from '@spandrel/kernel/launch';
import { Masking } from './masking.js';
import type { TextMaskerParts } from './text-masker.js';
import { BegunHashes, ProjectHashes, type ValueHashes } from './value-hashes.js';

/** What a {@link Masking} is made of, in a form that a thread can get: plain data. */
export interface MaskingRecipe {
  readonly rules: readonly MaskingRule[];
  /** The key of hashes in base64url: a server's, or what a gateway begins hashes with. `null`: values become labels. */
  readonly hashKey: { readonly kind: 'project' | 'begun'; readonly key: string } | null;
}

/** What makes the hashes of a recipe. */
export function hashesOf({ hashKey }: MaskingRecipe): ValueHashes | null {
  if (hashKey === null) return null;
  const key = Buffer.from(hashKey.key, 'base64url');
  return hashKey.kind === 'project' ? new ProjectHashes(key) : new BegunHashes(key);
}

/** Makes a masking in this thread. @param maskers those of this thread. */
export const maskingOf = (
  recipe: MaskingRecipe,
  maskers: readonly LoadedMasker[],
  parts: Omit<TextMaskerParts, 'hashes'>,
): Masking => new Masking(recipe.rules, maskers, { ...parts, hashes: hashesOf(recipe) });

/** What loads the maskers of a process in a thread of it once more: plain data. */
export const maskerEntries = (maskers: readonly LoadedMasker[]): PluginEntry[] => maskers.map(({ entry }) => entry);
