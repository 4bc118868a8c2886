import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, IdOrder, Storage, type LongReadOptions, type Page, type WriteTx } from '@spandrel/storage';
import { type PlainList, formatTimestamp, type DatasetResource } from '@spandrel/contract';
import { datasetNotFound } from './dataset-participants.js';
import { Dataset, type DatasetRow, datasetTable } from './dataset.entity.js';

const NEWEST_FIRST = new IdOrder('datasets', 'd.id', 'desc');

const COLUMNS = datasetTable.select('d');
const NAME = datasetTable.select('d', ['id', 'name']);

@Injectable()
export class DatasetStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the dataset, `null` when the project has none with this id. */
  find({ projectId }: Scope, id: string): Promise<DatasetRow | null> {
    return this.storage.find((em) => em.findOne(Dataset, { projectId, id }));
  }

  /** @returns the dataset. @throws NotFound `dataset_not_found`. */
  async get(scope: Scope, id: string): Promise<DatasetRow> {
    const dataset = await this.find(scope, id);
    if (!dataset) throw datasetNotFound();
    return dataset;
  }

  /** The names of datasets by their ids; nothing for ids of none. */
  async findNames(
    { projectId }: Scope,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<Map<string, string>> {
    const rows = await this.storage.readLong(
      NAME.query`select ${NAME} from dataset d where ${anyOf('d.id', ids)} and d.project_id = ${projectId}`,
      options,
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** A dataset that is to be changed, locked against other instances; its changes are written with the transaction. */
  findForWrite(tx: WriteTx, { projectId }: Scope, id: string): Promise<DatasetRow | null> {
    return tx.em.findOne(Dataset, { projectId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** {@link findForWrite} for one that must be there. @throws NotFound `dataset_not_found`. */
  async getForWrite(tx: WriteTx, scope: Scope, id: string): Promise<DatasetRow> {
    const dataset = await this.findForWrite(tx, scope, id);
    if (!dataset) throw datasetNotFound();
    return dataset;
  }

  /** @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList): Promise<Page<DatasetRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  /** Datasets behind an id, in the order of their ids; none at the end. */
  after(scope: Scope, afterId: string, limit: number, options: LongReadOptions): Promise<DatasetRow[]> {
    return this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from dataset d where d.project_id = ${scope.projectId} and d.id > ${afterId}
        order by d.id limit ${limit}`,
      options,
    );
  }

  insert(tx: WriteTx, dataset: DatasetRow): void {
    tx.em.create(Dataset, dataset);
  }

  /** @param dataset as {@link findForWrite} found it. */
  delete(tx: WriteTx, dataset: DatasetRow): void {
    tx.em.remove(dataset);
  }
}

/** A stored dataset as the wire shows it. */
export const datasetResource = (dataset: DatasetRow): DatasetResource => ({
  id: dataset.id,
  name: dataset.name,
  description: dataset.description,
  datapoint_count: dataset.datapointCount,
  version: dataset.version,
  created_at: formatTimestamp(dataset.createdAt),
  updated_at: formatTimestamp(dataset.updatedAt),
});
