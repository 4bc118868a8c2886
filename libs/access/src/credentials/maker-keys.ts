import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { ActingParty } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';
import { ApiKeyStore } from './api-key.store.js';
import { auditedKey } from './key-resource.js';
import { suspensionOf } from './key-standing.js';

/**
 * Writes to the audit log which keys of a person are refused from now on, and which are valid again, in the transaction that
 * changes their roles or what the identity provider says of them (docs/spec/access.md#keys-of-people). Whether a key is valid
 * is found out at each request from the rows themselves.
 */
@Injectable()
export class MakerKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
  ) {}

  /** @param actor who does it, where the request itself does not say. */
  async review(tx: WriteTx, personId: string, actor?: ActingParty): Promise<void> {
    if (!this.settings.keysEndWithMaker) return;
    await tx.em.flush();
    const now = Date.now();
    for (const key of await this.store.ofMaker(tx, personId)) {
      const reason = suspensionOf({ ...key, makerHasRole: key.makerRole !== null }, this.settings, now);
      if ((reason !== undefined) === (key.suspendedAt !== null)) continue;
      if (!(await this.store.suspend(tx, key.id, reason === undefined ? null : now))) continue;
      const { details, ...target } = auditedKey(key);
      this.audit.record(tx, {
        ...{ action: reason === undefined ? 'key.resumed' : 'key.suspended', ...target },
        details: { ...details, ...(reason !== undefined && { reason }) },
        ...(actor && { actor }),
      });
    }
  }
}
