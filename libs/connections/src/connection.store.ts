import { Injectable } from '@nestjs/common';
import { NotFound, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  forUpdate,
  integer,
  ProjectRows,
  shapeOf,
  Storage,
  tableOf,
  text,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { Connection, ConnectionSchema, type ConnectionRow } from './connection.entity.js';
import { NO_KEY, type Sealed } from './keys/sealing.js';

const connectionTable = tableOf(ConnectionSchema, ['projectId', 'id']);
const SEALED = connectionTable.select('c', ['projectId', 'id', 'keyId', 'sealedKey']);

const COUNT_BY_KEY = shapeOf({ keyId: text(), connections: integer() });

export const connectionNotFound = (): NotFound =>
  new NotFound(
    'connection_not_found',
    'there is no provider connection with this id; GET /api/provider-connections lists them',
  );

@Injectable()
export class ConnectionStore extends ProjectRows<ConnectionRow> {
  constructor(storage: Storage) {
    const [entity, table] = [Connection, connectionTable];
    super(storage, { entity, table, list: 'connections', order: 'desc', notFound: connectionNotFound });
  }

  /** @returns the connection of this name, the oldest of several; `null` when the project has none. */
  findNamed({ projectId }: Scope, name: string): Promise<ConnectionRow | null> {
    return this.storage.find((em) => em.findOne(Connection, { projectId, name }, { orderBy: { id: 'asc' } }));
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
