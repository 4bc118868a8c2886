import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, changesBetween, type AuditedAct } from '@spandrel/audit';
import type { CreateConnection, UpdateConnection } from '@spandrel/contract';
import { Conflict, newId, NotFound, PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { AddressRule } from './calls/address-rule.js';
import { checkConnection, keyNeededAgain, leadsElsewhere } from './check-connection.js';
import { ConnectionUses } from './connection-uses.js';
import type { ConnectionRow } from './connection.entity.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionUnusable, unsealKey } from './connections.js';
import { KeyRing } from './keys/key-ring.js';
import { seal } from './keys/sealing.js';

/** Creates, changes and deletes provider connections (docs/spec/connections.md#changing-a-connection). */
@Injectable()
export class ChangeConnections {
  constructor(
    private readonly storage: Storage,
    private readonly store: ConnectionStore,
    private readonly uses: ConnectionUses,
    private readonly ring: KeyRing,
    private readonly addresses: AddressRule,
    private readonly audit: AuditTrail,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** @throws Invalid */
  async create(scope: Scope, body: CreateConnection): Promise<ConnectionRow> {
    const { name, provider, base_url: baseUrl = null, default_model: defaultModel = null } = body;
    checkConnection(this.plugins.providers, this.addresses, { provider, baseUrl }, body.api_key === '');
    const { projectId } = scope;
    const id = newId();
    const now = Date.now();
    const sealed = seal(body.api_key, this.ring.current, { projectId, id });
    const row = { projectId, id, name, provider, baseUrl, defaultModel, ...sealed, createdAt: now, updatedAt: now };
    await this.storage.write(async (tx) => {
      this.store.insert(tx, row);
      this.audit.record(tx, { action: 'connection.created', ...audited(scope, row), details: auditedMembers(row) });
    });
    return row;
  }

  /** Changes the members given; the key stays when none is given. @throws Invalid, NotFound */
  update(scope: Scope, id: string, body: UpdateConnection): Promise<ConnectionRow> {
    return this.storage.write(async (tx) => {
      const row = await this.store.findForWrite(tx, scope, id);
      if (!row) throw connectionNotFound();
      const changed = this.changed(row, body);
      const details = changesBetween(auditedMembers(row), auditedMembers(changed));
      if (changed.sealedKey !== row.sealedKey) details['api_key'] = { from: 'another key', to: 'a new key' };
      if (Object.keys(details).length > 0) {
        this.audit.record(tx, { action: 'connection.updated', ...audited(scope, changed), details });
      }
      return Object.assign(row, changed);
    });
  }

  /** @throws NotFound, and Conflict when an unfinished run uses the connection. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const connection = await this.store.findForWrite(tx, scope, id);
      if (!connection) throw connectionNotFound();
      if (await this.uses.isUsed(tx, scope, id)) {
        throw new Conflict(
          'connection_in_use',
          'an eval run that is not finished uses this connection; cancel the run or wait for its end',
        );
      }
      this.store.delete(tx, connection);
      const details = auditedMembers(connection);
      this.audit.record(tx, { action: 'connection.deleted', ...audited(scope, connection), details });
    });
  }

  private changed(row: ConnectionRow, body: UpdateConnection): ConnectionRow {
    const { providers } = this.plugins;
    const apiKey = body.api_key ?? undefined;
    const changed: ConnectionRow = {
      ...row,
      name: body.name ?? row.name,
      provider: body.provider ?? row.provider,
      baseUrl: body.base_url === undefined ? row.baseUrl : body.base_url,
      defaultModel: body.default_model === undefined ? row.defaultModel : body.default_model,
      updatedAt: Date.now(),
      ...(apiKey !== undefined && seal(apiKey, this.ring.current, row)),
    };
    // Anyone who only renames is not asked about a provider whose plugin is away.
    if (body.provider !== undefined || body.base_url !== undefined || apiKey !== undefined) {
      checkConnection(providers, this.addresses, changed, apiKey === undefined ? this.hasEmptyKey(row) : apiKey === '');
      const kept = apiKey === undefined && leadsElsewhere(providers, row, changed);
      if (kept && !this.hasEmptyKey(row)) throw keyNeededAgain();
    }
    return changed;
  }

  /** A key that cannot be decrypted counts as one. */
  private hasEmptyKey(row: ConnectionRow): boolean {
    try {
      return unsealKey(row, this.ring) === '';
    } catch (error) {
      if (error instanceof ConnectionUnusable) return false;
      throw error;
    }
  }
}

const audited = (scope: Scope, { id, name }: ConnectionRow): Omit<AuditedAct, 'action'> => ({
  ...scope,
  targetId: id,
  targetName: name,
});

/** What of a connection the audit log shows, by members of the wire: not its key. */
const auditedMembers = ({ name, provider, baseUrl, defaultModel }: ConnectionRow) => ({
  ...{ name, provider, base_url: baseUrl, default_model: defaultModel },
});

export const connectionNotFound = (): NotFound =>
  new NotFound(
    'connection_not_found',
    'there is no provider connection with this id; GET /api/provider-connections lists them',
  );
