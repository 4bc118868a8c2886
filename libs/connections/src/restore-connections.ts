import { Inject, Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredConnection } from '@spandrel/contract';
import { PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { AddressRule } from './calls/address-rule.js';
import { leadsElsewhere } from './check-connection.js';
import type { ConnectionRow } from './connection.entity.js';
import { ConnectionStore } from './connection.store.js';
import { NO_KEY } from './keys/sealing.js';

/** Brings connections of an export back, which have no keys; those that exist already keep theirs. */
@Injectable()
export class RestoreConnections {
  constructor(
    private readonly storage: Storage,
    private readonly store: ConnectionStore,
    private readonly addresses: AddressRule,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /**
   * Upserts connections in one transaction.
   * @returns those that may not lead where they lead, and those by which a key that is here would go to another server.
   */
  execute(scope: Scope, restored: readonly RestoredConnection[]): Promise<RejectedItem<RestoredConnection>[]> {
    const byId = new Map(restored.map((item) => [item.id, item]));
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredConnection>[] = [];
      for (const item of [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const before = await this.store.findForWrite(tx, scope, item.id);
        const after = connectionRow(scope, item, before);
        const fault = this.addressFault(after);
        if (fault !== undefined) rejected.push({ item, code: 'validation_failed', message: `base_url ${fault}` });
        else if (!before) this.store.insert(tx, after);
        else if (this.wouldMoveKey(before, after)) rejected.push({ item, ...OTHER_SERVER });
        else Object.assign(before, after);
      }
      return rejected;
    });
  }

  private addressFault({ provider, baseUrl }: ConnectionRow): string | undefined {
    const known = this.plugins.providers.find(({ name }) => name === provider)?.extension;
    return baseUrl === null ? undefined : this.addresses.faultOf(baseUrl, known?.defaultBaseUrl ?? null);
  }

  private wouldMoveKey(before: ConnectionRow, after: ConnectionRow): boolean {
    return before.keyId !== NO_KEY.keyId && leadsElsewhere(this.plugins.providers, before, after);
  }
}

const connectionRow = (scope: Scope, item: RestoredConnection, before: ConnectionRow | null): ConnectionRow => ({
  projectId: scope.projectId,
  id: item.id,
  name: item.name,
  provider: item.provider,
  baseUrl: item.base_url ?? null,
  defaultModel: item.default_model ?? null,
  keyId: before?.keyId ?? NO_KEY.keyId,
  sealedKey: before?.sealedKey ?? NO_KEY.sealedKey,
  createdAt: item.created_at,
  updatedAt: item.updated_at,
});

const OTHER_SERVER = {
  code: 'id_conflict',
  message: 'the connection leads to another server here, where its key stays: change its base_url or provider yourself',
};
