import type { RecordingMasking } from '@spandrel/contract';
import type { LoadedMasker } from '@spandrel/kernel';
import { BegunHashes, Masking } from '@spandrel/masking/engine';

/**
 * What the rules of a project make of texts, in this thread.
 * @returns `null` where there are no rules.
 */
export function maskingOf(
  { rules, hash_key: key }: RecordingMasking,
  maskers: readonly LoadedMasker[],
  onFailure: (masker: string) => void,
): Masking | null {
  if (rules.length === 0) return null;
  const hashes = key === null ? null : new BegunHashes(Buffer.from(key, 'base64url'));
  return new Masking(rules, maskers, { hashes, onFailure });
}
