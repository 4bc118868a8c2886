import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, ProjectRows, Storage } from '@spandrel/storage';
import { fromColumns, datasetSchema, type DatasetResource } from '@spandrel/contract';
import { datasetNotFound } from './dataset-participants.js';
import { Dataset, type DatasetRow, datasetTable } from './dataset.entity.js';

const NAME = datasetTable.select('d', ['id', 'name']);

@Injectable()
export class DatasetStore extends ProjectRows<DatasetRow> {
  constructor(storage: Storage) {
    super(storage, {
      ...{ entity: Dataset, table: datasetTable, list: 'datasets', order: 'desc', notFound: datasetNotFound },
    });
  }

  /** The names of datasets by their ids; nothing for ids of none. */
  async findNames(scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.storage.readLong(
      NAME.query`select ${NAME} from dataset d where ${anyOf('d.id', ids)} and d.project_id = ${scope.projectId}`,
      scope,
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

/** A stored dataset as the wire shows it. */
export const datasetResource = (dataset: DatasetRow): DatasetResource => fromColumns(datasetSchema, dataset, {});
