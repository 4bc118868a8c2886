import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, changesBetween, type AuditedAct } from '@spandrel/audit';
import {
  type CreateConnection,
  type UpdateConnection,
  isStorableText,
  type FieldError,
  type RejectedItem,
  type RestoredConnection,
} from '@spandrel/contract';
import {
  Conflict,
  newId,
  PLUGINS,
  type PluginRegistry,
  type Scope,
  invalidRequest,
  type Invalid,
  type Named,
} from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import type { Provider } from '@spandrel/plugin-api';
import { AddressRule } from './calls/address-rule.js';
import { ConnectionUses, ConnectionUnusable, unsealKey } from './connections.js';
import { Connection, type ConnectionRow } from './connection.entity.js';
import { ConnectionStore } from './connection.store.js';
import { KeyRing, seal, NO_KEY } from './keys/sealing.js';
import { originOf } from './calls/open-connection.js';

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
      tx.em.create(Connection, row);
      this.audit.record(tx, { action: 'connection.created', ...audited(scope, row), details: auditedMembers(row) });
    });
    return row;
  }

  /** Changes the members given; the key stays when none is given. @throws Invalid, NotFound */
  update(scope: Scope, id: string, body: UpdateConnection): Promise<ConnectionRow> {
    return this.storage.write(async (tx) => {
      const row = await this.store.getForWrite(tx, scope, id);
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
      const connection = await this.store.getForWrite(tx, scope, id);
      if (await this.uses.isUsed(tx, scope, id)) {
        throw new Conflict(
          'connection_in_use',
          'an eval run that is not finished uses this connection; cancel the run or wait for its end',
        );
      }
      tx.em.remove(connection);
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

/** Whether a connection of the provider must have a key. Servers of one's own often want none. */
export const needsKey = (provider: string): boolean => provider === 'openai' || provider === 'anthropic';

/** Paths of calls at the end of a base, where people copy them from examples of single calls. */
const CALL_PATH = /(\/(?:chat\/completions|completions|responses|embeddings|messages|models))\/*$/;

interface Destination {
  provider: string;
  baseUrl: string | null;
}

/** Checks provider, base and key of a connection (docs/spec/connections.md#connection-routes). @throws Invalid */
function checkConnection(
  providers: readonly Named<Provider>[],
  addresses: AddressRule,
  { provider, baseUrl }: Destination,
  keyIsEmpty: boolean,
): void {
  const extension = providers.find(({ name }) => name === provider)?.extension;
  if (!extension) {
    const names = providers.map(({ name }) => name).join(', ');
    throw invalid({ path: 'provider', message: `must be one of the loaded providers: ${names}` });
  }
  if (baseUrl !== null && !isStorableText(baseUrl)) {
    throw invalid({ path: 'base_url', message: 'must not hold NUL characters or lone surrogates' });
  }
  const addressFault = baseUrl === null ? undefined : addresses.faultOf(baseUrl, extension.defaultBaseUrl);
  if (addressFault !== undefined) throw invalid({ path: 'base_url', message: addressFault });
  const callPath = baseUrl === null ? undefined : CALL_PATH.exec(URL.parse(baseUrl)?.pathname ?? '')?.[1];
  if (callPath !== undefined) {
    throw invalid({ path: 'base_url', message: `must end before ${callPath}, which every call puts behind it` });
  }
  if (baseUrl === null && extension.defaultBaseUrl === null) {
    throw invalid({ path: 'base_url', message: `is required: the provider ${provider} has no default` });
  }
  if (keyIsEmpty && needsKey(provider)) {
    throw invalid({ path: 'api_key', message: `must not be empty: the provider ${provider} wants a key` });
  }
}

/** Whether calls go to another server or provider than before: a key for the one must not be sent to the other. */
function leadsElsewhere(providers: readonly Named<Provider>[], before: Destination, after: Destination): boolean {
  const originFor = ({ provider, baseUrl }: Destination): string | undefined =>
    originOf(baseUrl ?? providers.find(({ name }) => name === provider)?.extension.defaultBaseUrl ?? null);
  return before.provider !== after.provider || originFor(before) !== originFor(after);
}

const keyNeededAgain = (): Invalid =>
  invalid({
    path: 'api_key',
    message:
      'is required when provider or the server of base_url changes: the stored key is not sent to another server',
  });

const invalid = (error: FieldError): Invalid => invalidRequest([error]);

/** Brings connections of an export back, which have no keys; those that exist already keep theirs. */
@Injectable()
export class RestoreConnections {
  constructor(
    private readonly storage: Storage,
    private readonly store: ConnectionStore,
    private readonly addresses: AddressRule,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** Upserts connections in one transaction. @returns those that may not lead there, or would take a key elsewhere. */
  execute(scope: Scope, restored: readonly RestoredConnection[]): Promise<RejectedItem<RestoredConnection>[]> {
    const byId = new Map(restored.map((item) => [item.id, item]));
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredConnection>[] = [];
      for (const item of [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const before = await this.store.findForWrite(tx, scope, item.id);
        const after = connectionRow(scope, item, before);
        const fault = this.addressFault(after);
        if (fault !== undefined) rejected.push({ item, code: 'validation_failed', message: `base_url ${fault}` });
        else if (!before) tx.em.create(Connection, after);
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
