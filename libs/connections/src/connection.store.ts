import { Injectable } from '@nestjs/common';
import { isStorableText, type PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { forUpdate, IdOrder, sql, Storage, tableOf, type Page, type WriteTx } from '@spandrel/storage';
import { ConnectionSchema, type ConnectionRow } from './connection.entity.js';
import type { Sealed } from './keys/sealing.js';

const connectionTable = tableOf(ConnectionSchema, ['projectId', 'id']);
const CONNECTION_COLUMNS = connectionTable.select('c');

const NEWEST_FIRST = new IdOrder('connections', 'c.id', 'desc');

/** Rows of provider connections. */
@Injectable()
export class ConnectionStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the connection, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<ConnectionRow | undefined> {
    if (!isStorableText(id)) return undefined;
    const [row] = await this.storage.read<ConnectionRow>(
      sql`select ${CONNECTION_COLUMNS} from provider_connection c
        where c.project_id = ${scope.projectId} and c.id = ${id}`,
    );
    return row;
  }

  /** @returns the connection of this name, the oldest of several; `undefined` when the project has none. */
  async findNamed(scope: Scope, name: string): Promise<ConnectionRow | undefined> {
    const [row] = await this.storage.read<ConnectionRow>(
      sql`select ${CONNECTION_COLUMNS} from provider_connection c
        where c.project_id = ${scope.projectId} and c.name = ${name} order by c.id limit 1`,
    );
    return row;
  }

  /** A connection that is to be changed, or kept as it is, until the transaction ends; locked against others. */
  async findForWrite(tx: WriteTx, scope: Scope, id: string): Promise<ConnectionRow | undefined> {
    if (!isStorableText(id)) return undefined;
    const [row] = await tx.all<ConnectionRow>(
      sql`select ${CONNECTION_COLUMNS} from provider_connection c
        where c.project_id = ${scope.projectId} and c.id = ${id}${forUpdate('c')}`,
    );
    return row;
  }

  /** Newest first. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList): Promise<Page<ConnectionRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong<ConnectionRow>(
        sql`select ${CONNECTION_COLUMNS} from provider_connection c where c.project_id = ${scope.projectId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  insert(tx: WriteTx, row: ConnectionRow): Promise<void> {
    return tx.insert(connectionTable, [row]);
  }

  update(tx: WriteTx, row: ConnectionRow): Promise<void> {
    return tx.update(connectionTable, [row]);
  }

  async delete(tx: WriteTx, scope: Scope, id: string): Promise<void> {
    await tx.run(sql`delete from provider_connection where project_id = ${scope.projectId} and id = ${id}`);
  }
}

/** What a rotation needs of a row; rows of all projects. */
export type SealedRow = Sealed & Pick<ConnectionRow, 'projectId' | 'id'>;

/** Every sealed key of the database, whatever its project, locked until the transaction ends. */
export const allSealed = (tx: WriteTx): Promise<SealedRow[]> =>
  tx.all<SealedRow>(
    sql`select ${connectionTable.select('c', ['projectId', 'id', 'keyId', 'sealedKey'])}
      from provider_connection c order by c.project_id, c.id${forUpdate('c')}`,
  );

/** Writes a key that was sealed anew; nothing else of the row changes. */
export async function saveSealed(tx: WriteTx, { projectId, id, keyId, sealedKey }: SealedRow): Promise<void> {
  await tx.run(
    sql`update provider_connection set key_id = ${keyId}, sealed_key = ${sealedKey}
      where project_id = ${projectId} and id = ${id}`,
  );
}
