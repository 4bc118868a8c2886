import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { MASKING_SEALER, type Sealer } from '@spandrel/kernel';
import type { MaskingRulesRow } from './masking-rules.entity.js';
import { MaskingRulesStore } from './masking-rules.store.js';

const KEY_BYTES = 32;

/** The keys of hashes, which are stored sealed (docs/spec/masking.md#the-key-of-hashes). */
@Injectable()
export class HashKeys {
  constructor(
    private readonly store: MaskingRulesStore,
    private readonly modules: ModuleRef,
  ) {}

  /**
   * The key of a project's hashes; made where the project has none yet.
   * @returns `null` when this server cannot read it, or has no secret key: values become labels then.
   * @throws Unavailable when the database does not answer.
   */
  async of({ projectId, keyId, sealedKey }: MaskingRulesRow): Promise<Buffer | null> {
    const sealer = this.sealer();
    if (!sealer) return null;
    const made = (): string => randomBytes(KEY_BYTES).toString('base64url');
    const sealed =
      keyId === '' ? await this.store.giveKey(projectId, sealer.seal(made(), projectId)) : { keyId, sealedKey };
    const key = sealed && sealer.unseal(sealed, projectId);
    return key === undefined ? null : Buffer.from(key, 'base64url');
  }

  /** Whether the project has a key that this server cannot read. */
  isUnreadable({ projectId, keyId, sealedKey }: MaskingRulesRow): boolean {
    return keyId !== '' && this.sealer()?.unseal({ keyId, sealedKey }, projectId) === undefined;
  }

  /** What has the secret key comes with a feature that a server may lack. */
  private sealer(): Sealer | undefined {
    try {
      return this.modules.get<Sealer>(MASKING_SEALER, { strict: false });
    } catch {
      return undefined;
    }
  }
}
