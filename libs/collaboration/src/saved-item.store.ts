import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type {
  BoardFigure,
  CreateBoard,
  PlainList,
  RejectedItem,
  RestoredBoard,
  RestoredView,
} from '@spandrel/contract';
import { newId, NotFound, type Scope } from '@spandrel/kernel';
import { anyOf, IdOrder, rawSql, readFitting, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import { createdBy, type Teammate } from './author.js';
import { SavedItem, savedItemTable, type SavedItemRow } from './collaboration.entity.js';

const COLUMNS = savedItemTable.select('i');
const CONTENT_SIZE = rawSql('octet_length(i.content)');

export type SavedKind = 'view' | 'board';

export type SavedContent = Pick<SavedItemRow, 'name' | 'page' | 'content' | 'owner' | 'hidden'>;
export type SavedChanges = { [Member in keyof SavedContent]?: SavedContent[Member] | undefined };

/** What a project keeps under names. What is somebody's alone is there for nobody else; boards of the product always are. */
@Injectable()
export class SavedItemStore {
  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  insert({ scope, author }: Teammate, kind: SavedKind, content: SavedContent, id = newId()): Promise<SavedItemRow> {
    const made = createdBy(author, Date.now());
    const row = { ...keyOf(scope, kind, id), ...content, ...made, updatedAt: made.createdAt };
    return this.storage.write(async (tx) => tx.em.create(SavedItem, row));
  }

  /** Oldest first, those of the product last, hidden ones left out unless they are asked for. @throws Invalid `invalid_cursor`. */
  async list(
    by: Teammate,
    kind: SavedKind,
    query: PlainList & { page?: string | undefined; hidden?: boolean | undefined },
  ): Promise<Page<SavedItemRow>> {
    const { projectId, orgId } = by.scope;
    const ofProduct = await this.ofProduct(by, kind);
    const shown = ofProduct.filter(({ hidden }) => query.hidden || hidden === 0);
    const others = sql`not ${anyOf(
      'i.id',
      ofProduct.map(({ id }) => id),
    )}`;
    const ofPage = query.page === undefined ? sql`1 = 1` : sql`i.page = ${query.page}`;
    const hidden = query.hidden ? sql`1 = 1` : sql`i.hidden = 0`;
    return new IdOrder(kind, 'i.id', 'asc').fill(query, async (afterId = '', count) => {
      const { rows, cut } = await readFitting(COLUMNS, CONTENT_SIZE, count, (columns, some) =>
        this.storage.readLong(
          columns.query`select ${columns} from saved_item i where i.project_id = ${projectId} and i.kind = ${kind}
          and (i.owner is null or i.owner = ${by.author.id}) and ${hidden} and ${ofPage} and ${others}
          and i.id > ${afterId} order by i.id limit ${some}`,
          { orgId },
        ),
      );
      // Ids that are made sort before those of the product.
      return cut ? { rows, cut } : { rows: [...rows, ...shown.filter(({ id }) => id > afterId)].slice(0, count) };
    });
  }

  /** @throws NotFound `view_not_found` or `board_not_found`. */
  async get(by: Teammate, kind: SavedKind, id: string): Promise<SavedItemRow> {
    const row = await this.storage.find((em) => em.findOne(SavedItem, keyOf(by.scope, kind, id)));
    return seenBy(by, kind, row ?? productRow(by, kind, id));
  }

  /** Changes the members that are given; a board of the product gets its row with that. @throws NotFound as {@link get}. */
  update(by: Teammate, kind: SavedKind, id: string, changes: SavedChanges): Promise<SavedItemRow> {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    return this.storage.write(async (tx) => {
      const row = await this.findForWrite(tx, by, kind, id);
      const made = !row && productRow(by, kind, id);
      const now = Date.now();
      const changed = made ? tx.em.create(SavedItem, { ...made, ...createdBy(by.author, now) }) : seenBy(by, kind, row);
      return Object.assign(changed, Object.fromEntries(given), { updatedAt: now });
    });
  }

  /** @throws NotFound as {@link get}. */
  async delete(by: Teammate, kind: SavedKind, id: string): Promise<void> {
    if (productRow(by, kind, id)) return void (await this.update(by, kind, id, { hidden: 1 }));
    await this.storage.write(async (tx) => {
      const row = seenBy(by, kind, await this.findForWrite(tx, by, kind, id));
      this.audit.record(tx, { action: `${kind}.deleted`, ...by.scope, targetId: id, targetName: row.name });
      tx.em.remove(row);
    });
  }

  /** Items of the project behind an id, in the order of their ids, hidden ones too; none at the end. */
  async after(scope: Scope, kind: SavedKind, id: string, limit: number): Promise<SavedItemRow[]> {
    const { rows } = await readFitting(COLUMNS, CONTENT_SIZE, limit, (columns, some) =>
      this.storage.readLong(
        columns.query`select ${columns} from saved_item i where i.project_id = ${scope.projectId} and i.kind = ${kind}
        and i.owner is null and i.id > ${id} order by i.id limit ${some}`,
        scope,
      ),
    );
    return rows;
  }

  /** Brings items of an export back, in one transaction. @returns those whose ids are of what is somebody's alone here. */
  restore<Item extends RestoredView | RestoredBoard>(
    scope: Scope,
    kind: SavedKind,
    items: readonly Item[],
  ): Promise<RejectedItem<Item>[]> {
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<Item>[] = [];
      for (const item of items) {
        const key = keyOf(scope, kind, item.id);
        const { owner = null } = (await tx.em.findOne(SavedItem, key)) ?? {};
        const made = createdBy(item.created_by, item.created_at);
        const row = { ...key, ...restoredContent(item), owner, ...made, updatedAt: item.updated_at };
        if (owner === null) await tx.em.upsert(SavedItem, row);
        else rejected.push({ item, code: 'id_conflict', message: `somebody has a ${kind} of this id alone here` });
      }
      return rejected;
    });
  }

  private async ofProduct(by: Teammate, kind: SavedKind): Promise<SavedItemRow[]> {
    const ids = kind === 'board' ? [...PRODUCT_BOARDS.keys()] : [];
    const { projectId } = by.scope;
    const rows = await this.storage.find((em) => em.find(SavedItem, { projectId, kind, id: { $in: ids } }));
    return ids.map((id) => rows.find((row) => row.id === id) ?? productRow(by, kind, id)!);
  }

  private findForWrite(tx: WriteTx, { scope }: Teammate, kind: SavedKind, id: string): Promise<SavedItemRow | null> {
    return tx.em.findOne(SavedItem, keyOf(scope, kind, id), { lockMode: LockMode.PESSIMISTIC_WRITE });
  }
}

const keyOf = ({ projectId }: Scope, kind: SavedKind, id: string) => ({ projectId, kind, id });

const restoredContent = (item: RestoredView | RestoredBoard) =>
  'page' in item
    ? { name: item.name, page: item.page, content: item.query, hidden: 0 }
    : { name: item.name, page: '', content: JSON.stringify(item.figures), hidden: Number(item.hidden) };

/** A board of the product as nobody has changed it: it was made at no time. */
function productRow({ scope }: Teammate, kind: SavedKind, id: string): SavedItemRow | null {
  const board = kind === 'board' ? PRODUCT_BOARDS.get(id) : undefined;
  if (!board) return null;
  const { name, figures } = board;
  const content = { name, page: '', content: JSON.stringify(figures), owner: null, hidden: 0 };
  return { ...keyOf(scope, kind, id), ...content, ...createdBy({ id: '', name: null }, 0), updatedAt: 0 };
}

function seenBy({ author }: Teammate, kind: SavedKind, row: SavedItemRow | null): SavedItemRow {
  if (!row || (row.owner !== null && row.owner !== author.id)) throw savedNotFound(kind);
  return row;
}

export const savedNotFound = (kind: SavedKind): NotFound =>
  new NotFound(`${kind}_not_found`, `there is no ${kind} with this id; GET /api/${kind}s lists them`);

const figure = (title: string, name: BoardFigure['figure'], splitBy?: string): BoardFigure => ({
  ...{ title, figure: name, query: splitBy === undefined ? 'range=7d' : `range=7d&split_by=${splitBy}` },
});

/** The boards that come with the product, by their ids and in the order of these. */
export const PRODUCT_BOARDS: ReadonlyMap<string, CreateBoard> = new Map<string, CreateBoard>([
  ['cost', { name: 'Cost', figures: [figure('Cost by model', 'cost', 'model'), figure('Tokens', 'tokens', 'model')] }],
  ['quality', { name: 'Quality', figures: [figure('Scores of runs', 'scores'), figure('Errors', 'errors')] }],
  ['reliability', { name: 'Reliability', figures: [figure('Errors', 'errors'), figure('Latency', 'latency')] }],
]);
