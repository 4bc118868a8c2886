import { type CoreSettings, StartError, type Logger } from '@spandrel/kernel';
import type { ConnectionsSettings } from '../connections.settings.js';
import { openKeyFile } from './key-file.js';
import { secretKeyOf, type SecretKey } from './secret-key.js';

/** The keys this process can unseal with; the first seals. More than one only while a rotation is under way. */
export class KeyRing {
  readonly #keys: readonly SecretKey[];

  /** @param keys at least one. */
  constructor(keys: readonly SecretKey[]) {
    this.#keys = keys;
  }

  /** Seals what is written from now on. */
  get current(): SecretKey {
    return this.#keys[0]!;
  }

  /** Ids of the keys, that of {@link current} first. */
  get ids(): string[] {
    return this.#keys.map(({ id }) => id);
  }

  find(keyId: string): SecretKey | undefined {
    return this.#keys.find(({ id }) => id === keyId);
  }
}

/**
 * The keys of the settings: `SPANDREL_SECRET_KEY`, and behind it `SPANDREL_SECRET_KEY_PREVIOUS`; or in local mode those of the key file in the data directory, which
 * is made when it is missing (docs/spec/connections.md#keys-are-encrypted).
 * @throws StartError when cloud mode has no key, or the key file cannot be used.
 */
export function openKeyRing(
  { mode, dataDir }: Pick<CoreSettings, 'mode' | 'dataDir'>,
  { secretKey, previousSecretKey }: Pick<ConnectionsSettings, 'secretKey' | 'previousSecretKey'>,
  logger: Logger,
): KeyRing {
  if (secretKey) return new KeyRing([secretKey, ...(previousSecretKey ? [previousSecretKey] : [])].map(secretKeyOf));
  if (mode === 'cloud') {
    throw new StartError(['secret_key (SPANDREL_SECRET_KEY): cloud mode needs one: 32 bytes, as base64 or hex']);
  }
  return new KeyRing(openKeyFile(dataDir, logger));
}
