import { LockMode, type EntitySchema, type FilterQuery } from '@mikro-orm/core';
import { isStorableText, type PlainList, type SortOrder } from '@spandrel/contract';
import { invalidRequest, type NotFound, type Scope } from '@spandrel/kernel';
import { IdOrder, PAGE_BYTES, type SizedRows } from '../statements/id-order.js';
import type { Page } from '../statements/keyset.js';
import { rawSql, sql, type Sql } from '../statements/sql.js';
import type { Selection, Table } from '../statements/table.js';
import type { Storage } from '../storage.js';
import type { WriteTx } from '../transactions/write-tx.js';

/** What {@link ProjectRows} needs to know of a table whose key is project and id. */
export interface ProjectTable<Row> {
  entity: EntitySchema<Row>;
  table: Table<Row>;
  /** What cursors of the list are bound to. */
  list: string;
  /** The order of the list by when the rows were made; the oldest first when left out. */
  order?: SortOrder;
  /** Bytes of the texts of a row `r`, where some are large; pages then end before they are too large for memory. */
  size?: Sql;
  /** Makes the error for a row that is not there. */
  notFound: () => NotFound;
}

const IN_ORDER = new IdOrder('rows', 'r.id', 'asc');

/** Rows of a project, such as its datasets or channels: by their ids, and in the order in which they were made. */
export abstract class ProjectRows<Row extends { projectId: string; id: string }> {
  private readonly columns: Selection<Row>;
  private readonly order: IdOrder;

  protected constructor(
    protected readonly storage: Storage,
    private readonly of: ProjectTable<Row>,
  ) {
    this.columns = of.table.select('r');
    this.order = new IdOrder(of.list, 'r.id', of.order ?? 'asc');
  }

  /** @returns the row, `null` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<Row | null> {
    if (!isStorableText(id)) return null;
    const rows = this.rowsWhere(scope, sql`r.id = ${id}`);
    return (await this.storage.read(rows.select(rows.columns, sql`1 = 1`)))[0] ?? null;
  }

  /** @throws NotFound. */
  async get(scope: Scope, id: string): Promise<Row> {
    return this.found(await this.find(scope, id));
  }

  /** In the order of the list. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList): Promise<Page<Row>> {
    return this.listWhere(scope, sql`1 = 1`, query);
  }

  /** {@link list} of rows `r` that hold a condition. */
  protected listWhere(scope: Scope, condition: Sql, query: PlainList): Promise<Page<Row>> {
    const rows = this.rowsWhere(scope, condition);
    if (this.of.size) return this.order.sizedPage(query, this.storage, rows, scope);
    return this.order.page(query, (rest) => this.storage.readLong(rows.select(rows.columns, rest), scope));
  }

  private rowsWhere({ projectId }: Scope, condition: Sql): SizedRows<Row> {
    const { table, size = rawSql('0') } = this.of;
    const select = <Some>(columns: Selection<Some>, rest: Sql) =>
      columns.query`select ${columns} from ${rawSql(table.name)} r
          where r.project_id = ${projectId} and ${condition} and ${rest}`;
    return { columns: this.columns, size, bytesMax: PAGE_BYTES, select };
  }

  /** Rows behind an id, in the order of their ids; none at the end. */
  async after(scope: Scope, afterId: string, limit: number): Promise<Row[]> {
    return (await IN_ORDER.fitting(this.storage, this.rowsWhere(scope, sql`1 = 1`), afterId, limit, scope)).rows;
  }

  /** The row, locked until the transaction ends; what is changed of it is written with the transaction. @returns `null` when there is none. */
  async findForWrite(tx: WriteTx, scope: Scope, id: string): Promise<Row | null> {
    if (!isStorableText(id)) return null;
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    return (await tx.em.findOne(this.of.entity, keyOf<Row>(scope, id), { lockMode })) as Row | null;
  }

  /** {@link findForWrite} for one that must be there. @throws NotFound. */
  async getForWrite(tx: WriteTx, scope: Scope, id: string): Promise<Row> {
    return this.found(await this.findForWrite(tx, scope, id));
  }

  /** Rows that are to be changed, locked against other instances in the order of their ids; what is changed is written likewise. */
  findSomeForWrite(tx: WriteTx, { projectId }: Scope, ids: readonly string[]): Promise<Row[]> {
    const where = { projectId, id: { $in: [...ids] } } as FilterQuery<Row>;
    const lock = { orderBy: { id: 'asc' } as never, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    return tx.em.find(this.of.entity, where, lock) as Promise<Row[]>;
  }

  /** How many rows the project may still have. */
  async room(tx: WriteTx, { projectId }: Scope, max: number): Promise<number> {
    return max - (await tx.em.count(this.of.entity, { projectId } as FilterQuery<Row>));
  }

  /** @param what the rows are called. @throws Invalid where the project has as many as it may have. */
  async assertRoom(tx: WriteTx, scope: Scope, max: number, what: string): Promise<void> {
    if ((await this.room(tx, scope, max)) <= 0)
      throw invalidRequest([{ path: '', message: `a project has at most ${max} ${what}` }]);
  }

  private found(row: Row | null): Row {
    if (!row) throw this.of.notFound();
    return row;
  }
}

const keyOf = <Row>({ projectId }: Scope, id: string) => ({ projectId, id }) as FilterQuery<Row>;
