import type { AuditTrail } from '@spandrel/audit';
import type { Logger } from '@spandrel/kernel';
import type { Storage } from '@spandrel/storage';
import { allSealed, saveSealed } from '../connection.store.js';
import { openKeyFile, writeKeyFile } from './key-file.js';
import { KeyRing } from './key-ring.js';
import { seal, unseal, UnsealError } from './sealing.js';
import { newSecretKey, type SecretKey } from './secret-key.js';

/** What a rotation did. */
export interface Rotation {
  /** Connections sealed with the new key now, those that already were included. */
  rotated: number;
  /** Connections that no key at hand opens; left as they were. */
  unreadable: { projectId: string; id: string }[];
}

/**
 * Seals the keys of all connections, in all projects, with the first of `keys`, in one transaction. What is sealed with
 * it already stays, so that a rotation may be repeated.
 * @param keys the new key first, then those that rows may be sealed with now.
 * @param audit has the rotation in its log; nothing has when left out.
 */
export async function resealConnections(
  storage: Storage,
  keys: readonly SecretKey[],
  audit?: AuditTrail,
): Promise<Rotation> {
  const ring = new KeyRing(keys);
  return storage.write(async (tx) => {
    const rotation: Rotation = { rotated: 0, unreadable: [] };
    for (const row of await allSealed(tx)) {
      const { projectId, id, keyId } = row;
      try {
        const apiKey = unseal(row, ring, row);
        if (keyId !== ring.current.id) await saveSealed(tx, { projectId, id, ...seal(apiKey, ring.current, row) });
        rotation.rotated++;
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error;
        rotation.unreadable.push({ projectId, id });
      }
    }
    const details = { rotated: rotation.rotated, unreadable: rotation.unreadable.map(({ id }) => id) };
    audit?.record(tx, { action: 'secrets.rotated', orgId: null, targetId: ring.current.id, details });
    return rotation;
  });
}

/**
 * Replaces the key of a data directory by a new one, in steps that each leave every connection readable: the new key is
 * put before the old ones in the key file, the connections are sealed with it, the old ones leave the file. A key that
 * a connection left behind still names stays, so that one restored later can be opened.
 * @param dataDir taken by this process: `storage` is the database in it.
 * @throws StartError when the key file cannot be read or written.
 */
export async function rotateKeyFile(storage: Storage, dataDir: string, logger: Logger): Promise<Rotation> {
  const keys = [newSecretKey(), ...openKeyFile(dataDir, logger)];
  writeKeyFile(dataDir, keys);
  const rotation = await resealConnections(storage, keys);
  const named = new Set((await storage.write(allSealed)).map(({ keyId }) => keyId));
  writeKeyFile(
    dataDir,
    keys.filter(({ id }, index) => index === 0 || named.has(id)),
  );
  return rotation;
}
