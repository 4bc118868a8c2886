import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { forUpdate, IdOrder, sql, Storage, type LongReadOptions, type Page, type WriteTx } from '@spandrel/storage';
import type { PlainList } from '@spandrel/contract';
import type { DatasetRow } from './dataset.entity.js';
import { datasetTable } from './tables.js';

const NEWEST_FIRST = new IdOrder('datasets', 'd.id', 'desc');

const COLUMNS = datasetTable.select('d');

/** Rows of datasets. */
@Injectable()
export class DatasetStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the dataset, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<DatasetRow | undefined> {
    const [dataset] = await this.storage.read<DatasetRow>(
      sql`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and d.id = ${id}`,
    );
    return dataset;
  }

  /** A dataset that is to be changed, locked against other instances. */
  async findForWrite(tx: WriteTx, scope: Scope, id: string): Promise<DatasetRow | undefined> {
    const [dataset] = await tx.all<DatasetRow>(
      sql`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and d.id = ${id}${forUpdate('d')}`,
    );
    return dataset;
  }

  /** @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList): Promise<Page<DatasetRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong<DatasetRow>(
        sql`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  /** Datasets behind an id, in the order of their ids; none at the end. */
  after(scope: Scope, afterId: string, limit: number, options: LongReadOptions): Promise<DatasetRow[]> {
    return this.storage.readLong<DatasetRow>(
      sql`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and d.id > ${afterId}
        order by d.id limit ${limit}`,
      options,
    );
  }

  insert(tx: WriteTx, dataset: DatasetRow): Promise<void> {
    return tx.insert(datasetTable, [dataset]);
  }

  update(tx: WriteTx, dataset: DatasetRow): Promise<void> {
    return tx.update(datasetTable, [dataset]);
  }

  async delete(tx: WriteTx, scope: Scope, id: string): Promise<void> {
    await tx.run(sql`delete from dataset where project_id = ${scope.projectId} and id = ${id}`);
  }
}
