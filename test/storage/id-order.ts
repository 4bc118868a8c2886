import { beforeEach, describe, expect, it } from '@jest/globals';
import { IdOrder, rawSql, Selection, sql, text, type SizedRows, type Storage } from '@spandrel/storage';
import type { TracingApp } from './tracing-app.js';

interface Item {
  id: string;
  text: string;
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const upwards = new IdOrder('items:asc', 'q.id', 'asc');
const downwards = new IdOrder('items:desc', 'q.id', 'desc');

/** Items of two bytes a text; three fit. */
const items: SizedRows<Item> = {
  columns: new Selection({ id: text(), text: text() }, sql`q.id as id, q.original_data as text`),
  size: rawSql('octet_length(q.original_data)'),
  bytesMax: 6,
  select: (columns, rest) =>
    columns.query`select ${columns} from queue_item q where q.project_id = 'id-order' and ${rest}`,
};

export function idOrder(app: () => TracingApp): void {
  const storage = (): Storage => app().storage;

  describe('the order of ids', () => {
    beforeEach(async () => {
      await storage().write(async (tx) => {
        await tx.run(sql`delete from queue_item`);
        for (const id of IDS) {
          await tx.run(
            sql`insert into queue_item (project_id, id, dataset_id, datapoint_id, status, original_data, created_at)
              values ('id-order', ${id}, 'd', 'dp', 0, ${id + id}, 1)`,
          );
        }
      });
    });

    const remove = (id: string): Promise<number> =>
      storage().write((tx) => tx.run(sql`delete from queue_item where id = ${id}`));

    /** Ids page by page. */
    async function pages(order: IdOrder, limit: number, sized: boolean): Promise<string[]> {
      const read: string[] = [];
      for (let cursor: string | undefined; ;) {
        const query = { limit, cursor };
        const page = sized
          ? await order.sizedPage(query, storage(), items)
          : await order.page(query, (rest) => storage().readLong(items.select(items.columns, rest)));
        read.push(page.items.map(({ id }) => id).join(''));
        if (page.nextCursor === null) return read;
        cursor = page.nextCursor;
      }
    }

    it('pages through rows in either direction', async () => {
      expect(await pages(upwards, 3, false)).toEqual(['abc', 'def', 'g']);
      expect(await pages(downwards, 3, false)).toEqual(['gfe', 'dcb', 'a']);
      expect(await pages(upwards, 7, false)).toEqual(['abcdefg']);
    });

    it('ends pages of large rows early', async () => {
      expect(await pages(upwards, 2, true)).toEqual(['ab', 'cd', 'ef', 'g']);
      expect(await pages(upwards, 5, true)).toEqual(['abc', 'def', 'g']);
      expect(await pages(downwards, 5, true)).toEqual(['gfe', 'dcb', 'a']);
    });

    it('gives a row that does not fit by itself', async () => {
      await storage().write((tx) => tx.run(sql`update queue_item set original_data = 'much too large' where id = 'b'`));
      expect(await pages(upwards, 5, true)).toEqual(['a', 'b', 'cde', 'fg']);
    });

    it('goes on behind rows that are gone once their sizes are known', async () => {
      let reads = 0;
      const racing: Pick<Storage, 'readLong'> = {
        readLong: async (query, options) => {
          const rows = await storage().readLong<never>(query, options);
          if (++reads === 1) for (const id of ['a', 'b', 'c']) await remove(id);
          return rows;
        },
      };
      const { rows, cut } = await upwards.fitting<Item>(racing, items, undefined, 5);
      expect(rows.map(({ text }) => text)).toEqual(['dd', 'ee', 'ff']);
      expect(cut).toBe(true);
    });

    it('is at its end when no row is left', async () => {
      expect(await upwards.fitting(storage(), items, 'g', 5)).toEqual({ rows: [] });
      expect(await pages(upwards, 1, true)).toHaveLength(7);
    });

    it('takes no cursor of another order', async () => {
      const { nextCursor } = await upwards.sizedPage<Item>({ limit: 2 }, storage(), items);
      const page = (cursor: string) => downwards.page<Item>({ limit: 2, cursor }, () => Promise.resolve([]));
      await expect(async () => page(nextCursor!)).rejects.toThrow('cursor');
    });
  });
}
