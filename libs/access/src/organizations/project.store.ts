import { Injectable } from '@nestjs/common';
import type { ListAccess } from '@spandrel/contract';
import { IdOrder, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import type { Actor } from './actor.js';
import { visibleTo } from './of-organization.store.js';
import type { ProjectRow } from './project.entity.js';
import { projectTable } from '../tables.js';

const OLDEST_FIRST = new IdOrder('projects', 'p.id', 'asc');
const COLUMNS = projectTable.select('p');

/** Rows of projects. */
@Injectable()
export class ProjectStore {
  constructor(private readonly storage: Storage) {}

  /** The projects of an organization. @throws Invalid `invalid_cursor`. */
  list(orgId: string, query: ListAccess): Promise<Page<ProjectRow>> {
    return OLDEST_FIRST.page(query, (rest) =>
      this.storage.readLong<ProjectRow>(sql`select ${COLUMNS} from project p where p.org_id = ${orgId} and ${rest}`, {
        orgId,
      }),
    );
  }

  /** One that the actor can see; projects stay as they are. */
  async find(tx: WriteTx, actor: Actor, id: string): Promise<ProjectRow | undefined> {
    const [row] = await tx.all<ProjectRow>(
      sql`select ${COLUMNS} from project p where p.id = ${id} and ${visibleTo(actor, 'p.org_id')}`,
    );
    return row;
  }

  insert(tx: WriteTx, row: ProjectRow): Promise<void> {
    return tx.insert(projectTable, [row]);
  }
}
