import type { AuditTrail } from '@spandrel/audit';
import type { Logger } from '@spandrel/kernel';
import { allHashKeys, saveHashKey } from '@spandrel/masking';
import type { Storage } from '@spandrel/storage';
import { allSealed, saveSealed } from '../connection.store.js';
import { openKeyFile, writeKeyFile } from './key-file.js';
import { KeyRing, forMasking, seal, unseal, UnsealError, type Sealed, type SealedFor } from './sealing.js';
import { allSealedTexts, forText, saveSealedText } from './sealed-texts.js';
import { newSecretKey, type SecretKey } from './secret-key.js';

export interface Rotation {
  /** Connections sealed with the new key now, those that already were included. */
  rotated: number;
  /** Connections that no key at hand opens; left as they were. */
  unreadable: { projectId: string; id: string }[];
  /** Secret texts of other features, the addresses of alert channels, that are sealed with the new key now. */
  texts: number;
  unreadableTexts: { projectId: string; id: string }[];
  /** Projects whose key of masking hashes is sealed with the new key now. */
  maskingKeys: number;
  /** Projects whose key of masking hashes no key at hand opens; left as they were. */
  unreadableMaskingKeys: string[];
}

/**
 * Seals the keys of all connections and masking hashes, and secret texts, with the first of `keys`, in one transaction.
 * @param keys the new key first, then those that rows may be sealed with now. @param audit has it in its log.
 */
export async function resealKeys(storage: Storage, keys: readonly SecretKey[], audit?: AuditTrail): Promise<Rotation> {
  const ring = new KeyRing(keys);
  return storage.write(async (tx) => {
    const rotation: Rotation = {
      ...{ rotated: 0, unreadable: [], texts: 0, unreadableTexts: [], maskingKeys: 0, unreadableMaskingKeys: [] },
    };
    for (const row of await allSealed(tx)) {
      const { projectId, id } = row;
      const isReadable = await reseal(row, row, ring, (sealed) => saveSealed(tx, { projectId, id, ...sealed }));
      if (isReadable) rotation.rotated++;
      else rotation.unreadable.push({ projectId, id });
    }
    for (const row of await allSealedTexts(tx)) {
      const save = (sealed: Sealed): Promise<void> => saveSealedText(tx, { ...row, ...sealed });
      const { projectId, id } = row;
      if (await reseal(row, forText(row, id), ring, save)) rotation.texts++;
      else rotation.unreadableTexts.push({ projectId, id });
    }
    for (const row of await allHashKeys(tx)) {
      const { projectId } = row;
      const save = (sealed: Sealed): Promise<unknown> => saveHashKey(tx, { projectId, ...sealed });
      if (await reseal(row, forMasking(projectId), ring, save)) rotation.maskingKeys++;
      else rotation.unreadableMaskingKeys.push(projectId);
    }
    audit?.record(tx, {
      action: 'secrets.rotated',
      orgId: null,
      targetId: ring.current.id,
      details: {
        rotated: rotation.rotated,
        unreadable: [...rotation.unreadable, ...rotation.unreadableTexts].map(({ id }) => id),
        masking_keys: rotation.maskingKeys,
        unreadable_masking_keys: rotation.unreadableMaskingKeys,
      },
    });
    return rotation;
  });
}

/** Seals a text again, unless the current key has sealed it. @returns whether a key of the ring opens it. */
async function reseal(
  sealed: Sealed,
  row: SealedFor,
  ring: KeyRing,
  save: (sealed: Sealed) => Promise<unknown>,
): Promise<boolean> {
  try {
    const text = unseal(sealed, ring, row);
    if (sealed.keyId !== ring.current.id) await save(seal(text, ring.current, row));
    return true;
  } catch (error) {
    if (error instanceof UnsealError) return false;
    throw error;
  }
}

/**
 * Replaces the key of a data directory in steps that each leave everything readable: the new key comes before the old ones,
 * everything is sealed with it, the old ones leave the file unless something left behind still names them.
 * @param dataDir taken by this process: `storage` is the database in it. @throws StartError
 */
export async function rotateKeyFile(storage: Storage, dataDir: string, logger: Logger): Promise<Rotation> {
  const keys = [newSecretKey(), ...openKeyFile(dataDir, logger)];
  writeKeyFile(dataDir, keys);
  const rotation = await resealKeys(storage, keys);
  const sealed = await storage.write(async (tx) => [
    ...(await allSealed(tx)),
    ...(await allSealedTexts(tx)),
    ...(await allHashKeys(tx)),
  ]);
  const named = new Set(sealed.map(({ keyId }) => keyId));
  writeKeyFile(
    dataDir,
    keys.filter(({ id }, index) => index === 0 || named.has(id)),
  );
  return rotation;
}
