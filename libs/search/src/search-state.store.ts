import { Injectable } from '@nestjs/common';
import { forUpdate, forUpdateSkipLocked, sql, Storage, tableOf, type WriteTx } from '@spandrel/storage';
import { SearchStateSchema, type SearchStateRow } from './search-task.entity.js';

const stateTable = tableOf(SearchStateSchema, ['projectId']);
const COLUMNS = stateTable.select('y');

/** Project id of the row that finds the projects. */
export const FINDS_PROJECTS = '';

@Injectable()
export class SearchStateStore {
  constructor(private readonly storage: Storage) {}

  async find(projectId: string): Promise<SearchStateRow | undefined> {
    const [row] = await this.storage.read(
      COLUMNS.query`select ${COLUMNS} from search_state y where y.project_id = ${projectId}`,
    );
    return row;
  }

  async findForWrite(tx: WriteTx, projectId: string): Promise<SearchStateRow | undefined> {
    const [row] = await tx.all(
      COLUMNS.query`select ${COLUMNS} from search_state y where y.project_id = ${projectId}${forUpdate('y')}`,
    );
    return row;
  }

  /** A state that has not got to its end and that no other instance is at; the one that finds projects first. */
  async unfinished(tx: WriteTx): Promise<SearchStateRow | undefined> {
    const [row] = await tx.all(
      COLUMNS.query`select ${COLUMNS} from search_state y where y.after_id is not null
        order by y.project_id limit 1${forUpdateSkipLocked('y')}`,
    );
    return row;
  }

  async save(tx: WriteTx, { projectId, indexName, embedding, afterId }: SearchStateRow): Promise<void> {
    await tx.run(
      sql`insert into search_state (project_id, index_name, embedding, after_id)
        values (${projectId}, ${indexName}, ${embedding}, ${afterId})
        on conflict (project_id) do update set index_name = excluded.index_name, embedding = excluded.embedding,
          after_id = excluded.after_id`,
    );
  }

  /** Has a project walked through from its first span. */
  async restart(tx: WriteTx, projectId: string, indexName: string): Promise<void> {
    await tx.run(
      sql`insert into search_state (project_id, index_name, embedding, after_id)
        values (${projectId}, ${indexName}, ${null}, ${''}) on conflict (project_id) do update set after_id = ${''}`,
    );
  }

  /** Forgets how far other indexes had come, and begins with this one where that has not happened. */
  async begin(tx: WriteTx, indexName: string): Promise<void> {
    await tx.run(sql`delete from search_state where index_name <> ${indexName}`);
    await tx.run(
      sql`insert into search_state (project_id, index_name, embedding, after_id)
        values (${FINDS_PROJECTS}, ${indexName}, ${null}, ${''}) on conflict do nothing`,
    );
  }

  async deleteAll(tx: WriteTx): Promise<void> {
    await tx.run(sql`delete from search_state`);
  }
}
