import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { isStorableText, type PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  forUpdate,
  IdOrder,
  integer,
  shapeOf,
  Storage,
  tableOf,
  text,
  type LongReadOptions,
  type Page,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { Connection, ConnectionSchema, type ConnectionRow } from './connection.entity.js';
import { NO_KEY, type Sealed } from './keys/sealing.js';

const connectionTable = tableOf(ConnectionSchema, ['projectId', 'id']);
const CONNECTION_COLUMNS = connectionTable.select('c');
const SEALED = connectionTable.select('c', ['projectId', 'id', 'keyId', 'sealedKey']);

const COUNT_BY_KEY = shapeOf({ keyId: text(), connections: integer() });

const NEWEST_FIRST = new IdOrder('connections', 'c.id', 'desc');

/** Rows of provider connections. */
@Injectable()
export class ConnectionStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the connection, `null` when the project has none with this id. */
  async find({ projectId }: Scope, id: string): Promise<ConnectionRow | null> {
    if (!isStorableText(id)) return null;
    return this.storage.find((em) => em.findOne(Connection, { projectId, id }));
  }

  /** @returns the connection of this name, the oldest of several; `null` when the project has none. */
  findNamed({ projectId }: Scope, name: string): Promise<ConnectionRow | null> {
    return this.storage.find((em) => em.findOne(Connection, { projectId, name }, { orderBy: { id: 'asc' } }));
  }

  /**
   * A connection that is to be changed, or kept as it is, until the transaction ends; locked against others. What is
   * changed of it is written with the transaction.
   */
  async findForWrite(tx: WriteTx, { projectId }: Scope, id: string): Promise<ConnectionRow | null> {
    if (!isStorableText(id)) return null;
    return tx.em.findOne(Connection, { projectId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Newest first. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList): Promise<Page<ConnectionRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        CONNECTION_COLUMNS.query`select ${CONNECTION_COLUMNS} from provider_connection c where c.project_id = ${scope.projectId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  /** Connections behind an id, in the order of their ids; none at the end. */
  after(scope: Scope, afterId: string, limit: number, options: LongReadOptions): Promise<ConnectionRow[]> {
    return this.storage.readLong(
      CONNECTION_COLUMNS.query`select ${CONNECTION_COLUMNS} from provider_connection c
        where c.project_id = ${scope.projectId} and c.id > ${afterId} order by c.id limit ${limit}`,
      options,
    );
  }

  /** How many connections of all projects are sealed with each key. */
  countByKey(): Promise<RowOfShape<typeof COUNT_BY_KEY>[]> {
    return this.storage.read(
      COUNT_BY_KEY.query`select c.key_id as "keyId", count(*) as connections from provider_connection c
        group by c.key_id`,
    );
  }

  /** Ids of the keys that some connections of a project are sealed with. */
  async keysOf({ projectId }: Scope, ids: readonly string[]): Promise<string[]> {
    const rows = await this.storage.read(
      SEALED.query`select ${SEALED} from provider_connection c
        where c.project_id = ${projectId} and ${anyOf('c.id', ids)}`,
    );
    return rows.map(({ keyId }) => keyId);
  }

  insert(tx: WriteTx, row: ConnectionRow): void {
    tx.em.create(Connection, row);
  }

  /** @param connection as {@link findForWrite} found it. */
  delete(tx: WriteTx, connection: ConnectionRow): void {
    tx.em.remove(connection);
  }
}

/** What a rotation needs of a row; rows of all projects. */
export type SealedRow = Sealed & Pick<ConnectionRow, 'projectId' | 'id'>;

/** Every sealed key of the database, whatever its project, locked until the transaction ends. */
export const allSealed = (tx: WriteTx): Promise<SealedRow[]> =>
  tx.all(
    SEALED.query`select ${SEALED}
      from provider_connection c where c.key_id <> ${NO_KEY.keyId} order by c.project_id, c.id${forUpdate('c')}`,
  );

/** Writes a key that was sealed again; nothing else of the row changes. */
export async function saveSealed(tx: WriteTx, { projectId, id, keyId, sealedKey }: SealedRow): Promise<void> {
  await tx.em.nativeUpdate(Connection, { projectId, id }, { keyId, sealedKey });
}
