import type { OwnedTable, Scope } from '@spandrel/kernel';
import { shapeOf, text } from '../statements/row-shape.js';
import { rawSql, sql, type Sql } from '../statements/sql.js';
import type { Storage } from '../storage.js';
import type { WriteTx } from '../transactions/write-tx.js';
import { Injectable } from '@nestjs/common';

/** Takes away what a feature keeps of a project elsewhere than in its tables, such as an index. */
export interface ProjectRemover {
  readonly name: string;
  /**
   * Takes some of it away, within seconds; called again while something is left, by any server.
   * @returns how much went, as far as that is known. @throws what makes it impossible now; it is tried again.
   */
  remove(projectId: string): Promise<{ removed: number; isMoreLeft: boolean }>;
}

/** How everything that belongs to a project goes with it: rows of tables as features list them, and what they register. */
export class ProjectRemovers {
  private readonly registered: ProjectRemover[] = [];

  /** @param tables of all features, also of those that are not loaded, in the order in which their rows go. */
  constructor(readonly tables: readonly OwnedTable[]) {}

  register(remover: ProjectRemover): void {
    this.registered.push(remover);
  }

  get removers(): readonly ProjectRemover[] {
    return this.registered;
  }
}

const LEAF = shapeOf({ name: text() });

/** Quoted names of the tables in which the rows of a table lie: its partitions, or itself. Postgres only. */
export async function leafTables(storage: Pick<Storage, 'readLong'>, table: string): Promise<string[]> {
  const leaves = await storage.readLong(
    LEAF.query`select quote_ident(c.relname) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table}) order by c.relname desc`,
  );
  return leaves.length > 0 ? leaves.map(({ name }) => name) : [table];
}

/**
 * Deletes some rows of one table, which has no partitions, by where they lie.
 * @returns how many went; fewer than `limit` when none is left.
 */
export function deleteSome(
  tx: WriteTx,
  { leaf, by, owner, limit }: { leaf: string; by: string; owner: string; limit: number },
): Promise<number> {
  const [table, column] = [rawSql(leaf), rawSql(by)];
  const some: Sql = sql`select ctid from ${table} where ${column} = ${owner} limit ${limit}`;
  return tx.run(sql`delete from ${table} where ctid = any(array(${some}))`);
}

type Check = (tx: WriteTx, scope: Scope) => Promise<void>;

/**
 * Whether a project may lose much at once (docs/spec/projects.md#protected-projects). Features ask before they delete;
 * `access` answers, where it is loaded.
 */
@Injectable()
export class ProjectProtection {
  private check: Check | undefined;

  decideBy(check: Check): void {
    this.check = check;
  }

  /** Called in the transaction that deletes. @throws Conflict `project_protected` */
  async assertUnprotected(tx: WriteTx, scope: Scope): Promise<void> {
    await this.check?.(tx, scope);
  }
}
