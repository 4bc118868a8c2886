import {
  type SealedText,
  type CoreSettings,
  openSealed,
  sealBytes,
  StartError,
  type Logger,
  type Sealer,
} from '@spandrel/kernel';
import { Injectable } from '@nestjs/common';
import { type SecretKey, secretKeyOf } from './secret-key.js';
import type { ConnectionsSettings } from '../connections.settings.js';
import { openKeyFile } from './key-file.js';

/** A text sealed for one row: which key sealed it, and nonce, ciphertext and tag as base64. */
export type Sealed = SealedText;

/** What a row without a key has in its place: an import of everything brings none. */
export const NO_KEY: Sealed = { keyId: '', sealedKey: '' };

/** The row a text is sealed for; in any other it cannot be opened. */
export interface SealedFor {
  projectId: string;
  id: string;
  /** What is sealed; the key of a connection when left out. */
  use?: 'connection' | 'masking' | 'text';
}

/** The row of a project's masking rules, for the key of its hashes. */
export const forMasking = (projectId: string): SealedFor => ({ projectId, id: '', use: 'masking' });

/** Why a text cannot be unsealed: there is none, its key is not on the ring, or the text, its row or its key was changed. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';

  constructor(readonly reason: 'no-key' | 'unknown-key' | 'altered') {
    super(reason);
  }
}

/** Names what is sealed and how, so that no other use of the key can be passed off as it. */
const ASSOCIATED_TAGS = {
  connection: 'spandrel connection key v1',
  masking: 'spandrel masking key v1',
  text: 'spandrel text v1',
};

/** Seals a text with AES-256-GCM for one row (docs/spec/connections.md#keys-are-encrypted). */
export function seal(text: string, { id: keyId, key }: SecretKey, row: SealedFor): Sealed {
  return { keyId, sealedKey: sealBytes(text, key, associatedData(row)).toString('base64') };
}

/** The text that {@link seal} sealed. @throws UnsealError */
export function unseal({ keyId, sealedKey }: Sealed, ring: KeyRing, row: SealedFor): string {
  if (keyId === NO_KEY.keyId) throw new UnsealError('no-key');
  const secretKey = ring.find(keyId);
  if (!secretKey) throw new UnsealError('unknown-key');
  const sealed = Buffer.from(sealedKey, 'base64');
  const isWhole = sealed.toString('base64') === sealedKey;
  const opened = isWhole ? openSealed(sealed, secretKey.key, associatedData(row)) : undefined;
  if (!opened) throw new UnsealError('altered');
  return opened.toString('utf8');
}

const associatedData = ({ projectId, id, use = 'connection' }: SealedFor): string =>
  JSON.stringify([ASSOCIATED_TAGS[use], projectId, id]);

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
 * The keys of the settings, in local mode else those of the key file (docs/spec/connections.md#keys-are-encrypted).
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

/** Seals the keys that texts are masked with as keys of connections are sealed (docs/spec/masking.md#the-key-of-hashes). */
@Injectable()
export class MaskingSealer implements Sealer {
  constructor(private readonly ring: KeyRing) {}

  seal(text: string, projectId: string): SealedText {
    return seal(text, this.ring.current, forMasking(projectId));
  }

  unseal(sealed: SealedText, projectId: string): string | undefined {
    try {
      return unseal(sealed, this.ring, forMasking(projectId));
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }
}
