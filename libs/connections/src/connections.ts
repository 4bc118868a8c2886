import { Inject, Injectable } from '@nestjs/common';
import { PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import {
  fromColumns,
  exportedConnectionSchema,
  type ConnectionResource,
  type ExportedConnection,
} from '@spandrel/contract';
import { AddressRule } from './calls/address-rule.js';
import { ConnectionClient } from './calls/connection-client.js';
import type { ConnectionRow } from './connection.entity.js';
import { ConnectionStore } from './connection.store.js';
import { KeyRing, unseal, UnsealError } from './keys/sealing.js';
import { OpenedConnection, type OpenConnection } from './calls/open-connection.js';

/** What a feature that uses a connection may know of it. */
export type UsableConnection = Pick<ConnectionRow, 'id' | 'name' | 'provider' | 'baseUrl' | 'defaultModel'>;

/** A connection that cannot be called. `message` is one sentence without secrets, fit for answers and events. */
export class ConnectionUnusable extends Error {
  override readonly name = 'ConnectionUnusable';
}

/** Provider connections, for the features that call models through them. */
@Injectable()
export class Connections {
  constructor(
    private readonly store: ConnectionStore,
    private readonly ring: KeyRing,
    private readonly client: ConnectionClient,
    private readonly addresses: AddressRule,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** The connection, kept from being changed or deleted until the transaction ends. @throws NotFound */
  async getForUse(tx: WriteTx, scope: Scope, id: string): Promise<UsableConnection> {
    return usable(await this.store.getForWrite(tx, scope, id));
  }

  /** Opens a connection for calls. @throws ConnectionUnusable when it is gone, cannot be decrypted, has no provider, or leads where it may not. */
  async open(scope: Scope, id: string): Promise<OpenConnection> {
    const row = await this.store.find(scope, id);
    if (!row) throw new ConnectionUnusable(`connection ${id} does not exist any more`);
    return this.openRow(row);
  }

  /** The project's connection of this name, to be opened by {@link open}; the oldest of several. */
  async findNamed(scope: Scope, name: string): Promise<UsableConnection | undefined> {
    const row = await this.store.findNamed(scope, name);
    return row ? usable(row) : undefined;
  }

  /** Opens a connection like {@link open}, from a row that has been read. */
  openRow(row: ConnectionRow): OpenConnection {
    const { id, name, provider: providerName, baseUrl } = row;
    const provider = this.plugins.providers.find((candidate) => candidate.name === providerName)?.extension;
    if (!provider) {
      throw new ConnectionUnusable(
        `${describe(row)} wants the provider "${providerName}", of which no plugin is loaded`,
      );
    }
    // The rule may have come after the connection, or the operator has taken its host off the list.
    const fault = baseUrl === null ? undefined : this.addresses.faultOf(baseUrl, provider.defaultBaseUrl);
    if (fault !== undefined) throw new ConnectionUnusable(`the base_url of ${describe(row)} ${fault}`);
    const target = { baseUrl, apiKey: unsealKey(row, this.ring) };
    const guarded = this.addresses.guards(baseUrl, provider.defaultBaseUrl);
    const named = this.addresses.names(baseUrl, provider.defaultBaseUrl);
    return new OpenedConnection({ id, name, providerName, provider, target, guarded, named, client: this.client });
  }
}

/** The key of a connection. @throws ConnectionUnusable when it cannot be decrypted. */
export function unsealKey(row: ConnectionRow, ring: KeyRing): string {
  try {
    return unseal(row, ring, row);
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    if (error.reason === 'no-key') throw new ConnectionUnusable(`${describe(row)} ${NEEDS_KEY}`);
    const why =
      error.reason === 'unknown-key'
        ? 'it was encrypted with another secret key than this one; bring back that SPANDREL_SECRET_KEY or secret.key'
        : 'the stored row or its SPANDREL_SECRET_KEY (or secret.key) was changed; bring them back';
    throw new ConnectionUnusable(
      `the key of ${describe(row)} cannot be decrypted: ${why}, or give the connection its api_key again`,
    );
  }
}

const NEEDS_KEY =
  'was imported without its key: give it one with PUT /api/provider-connections/:id and {"api_key": …}, an empty one if its server wants none';

const usable = ({ id, name, provider, baseUrl, defaultModel }: ConnectionRow): UsableConnection => ({
  id,
  name,
  provider,
  baseUrl,
  defaultModel,
});

const describe = ({ id, name }: ConnectionRow): string => `connection ${JSON.stringify(name)} (${id})`;

/** A connection as an export has it: nothing of its key. */
export const exportedConnection = (row: ConnectionRow): ExportedConnection =>
  fromColumns(exportedConnectionSchema, row, {});

/** A connection as every answer shows it: nothing of its key but whether it can be read. */
export const connectionResource = (row: ConnectionRow, ring: KeyRing): ConnectionResource => ({
  ...exportedConnection(row),
  key_status: keyStatus(row, ring),
});

/** Tries to decrypt the key, which costs microseconds: its id says nothing of a row that was changed, or copied to another project. */
function keyStatus(row: ConnectionRow, ring: KeyRing): ConnectionResource['key_status'] {
  try {
    unseal(row, ring, row);
    return 'readable';
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    return error.reason === 'no-key' ? 'missing' : 'unreadable';
  }
}

export interface ConnectionUse {
  name: string;
  /** Whether something unfinished needs the connection. Asked in the transaction of its delete. */
  isUsed(tx: WriteTx, scope: Scope, connectionId: string): Promise<boolean>;
}

/** Who may hold on to connections: features register at start. */
@Injectable()
export class ConnectionUses {
  private readonly uses: ConnectionUse[] = [];

  register(use: ConnectionUse): void {
    this.uses.push(use);
  }

  async isUsed(tx: WriteTx, scope: Scope, connectionId: string): Promise<boolean> {
    for (const use of this.uses) if (await use.isUsed(tx, scope, connectionId)) return true;
    return false;
  }
}
