import { describe, expect, it } from '@jest/globals';
import { rowsFrom, sql, tableOf, type WriteTx } from '@spandrel/storage';
import { TraceTagSchema } from '../../libs/tracing/src/trace.entity.js';
import type { TracingApp } from './tracing-app.js';
import { anyRows } from '../support/any-rows.ts';

const TAG = tableOf(TraceTagSchema, ['projectId', 'tag', 'startedAt', 'traceId']).select('t', ['tag']);

export function entityManager(app: () => TracingApp): void {
  describe('the entity manager of a write', () => {
    const rows = (): Promise<{ tag: string }[]> =>
      app().storage.readLong(
        anyRows<{ tag: string }>()`select tag from trace_tag where project_id = ${'em'} order by tag`,
      );
    const tagEntity = () => app().storage.em().getMetadata().getByClassName('TraceTag').class;
    const add = async (tx: WriteTx, tag: string): Promise<void> => {
      tx.em.create(tagEntity(), { projectId: 'em', tag, startedAt: 1, traceId: 't' }, { persist: true });
      await tx.em.flush();
    };

    it('is flushed with the transaction, before what its end has to do, which may use it too', async () => {
      const seen: number[] = [];
      const count = async (tx: WriteTx): Promise<void> => {
        const rows = await tx.all(TAG.query`select ${TAG} from trace_tag t where t.project_id = ${'em'}`);
        seen.push(rows.length);
      };
      await app().storage.write(async (tx) => {
        tx.em.create(tagEntity(), { projectId: 'em', tag: 'x', startedAt: 1, traceId: 't' });
        tx.end.beforeCommit(async () => {
          await count(tx);
          tx.em.create(tagEntity(), { projectId: 'em', tag: 'y', startedAt: 1, traceId: 't' });
        });
        await count(tx);
      });
      expect(seen).toEqual([0, 1]);
      expect(await rows()).toEqual([{ tag: 'x' }, { tag: 'y' }]);
      expect(await app().storage.find((em) => em.count(tagEntity(), { projectId: 'em' }))).toBe(2);
      await app().storage.write((tx) => tx.run(sql`delete from trace_tag where project_id = ${'em'}`));
    });

    it('keeps every text, and sends values beside its statements, never in them', async () => {
      const texts = ["it's", 'a\\b', '\\?', '?', '??', '$1', '%s', '"', '', 'é😀\n\t', 'x'.repeat(2_000)];
      await app().storage.write(async (tx) => {
        for (const tag of texts) tx.em.create(tagEntity(), { projectId: 'em', tag, startedAt: 1, traceId: 't' });
      });
      for (const tag of texts) {
        const found = await app().storage.find((em) => em.findOne(tagEntity(), { projectId: 'em', tag }));
        expect(found).toMatchObject({ tag });
      }
      expect((await rows()).map(({ tag }) => tag).sort()).toEqual(texts.sort());
      const again = app().storage.write(async (tx) => {
        tx.em.create(tagEntity(), { projectId: 'em', tag: 'a\\b', startedAt: 1, traceId: 't' });
      });
      const error = await again.catch((reason: Error) => reason);
      expect(error).toMatchObject({ name: 'UniqueConstraintViolationException' });
      // Postgres reports the key of its own accord, in no quotes; a statement with values in it would have them.
      expect((error as Error).message).not.toContain("'a");
      await app().storage.write((tx) => tx.run(sql`delete from trace_tag where project_id = ${'em'}`));
    });

    it('that finds a key taken loses the transaction, which on Postgres is tried again', async () => {
      let attempts = 0;
      const lost = app().storage.write(async (tx) => {
        attempts++;
        await tx.run(sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('em', 'z', 1, 't')`);
        tx.em.create(tagEntity(), { projectId: 'em', tag: 'z', startedAt: 1, traceId: 't' });
      });
      await expect(lost).rejects.toMatchObject({ name: 'UniqueConstraintViolationException' });
      expect(attempts > 1).toBe(app().storage.dialect === 'postgres');
      expect(await rows()).toEqual([]);
    });

    it('works in its transaction: kept with it, lost with it', async () => {
      await app().storage.write(async (tx) => {
        await add(tx, 'a');
        await tx.run(sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('em', 'b', 1, 't')`);
        expect(await tx.em.count(tagEntity(), { projectId: 'em' })).toBe(2);
        expect(await app().storage.em().count(tagEntity(), { projectId: 'em' })).toBe(0);
      });
      const lost = app().storage.write(async (tx) => {
        await add(tx, 'c');
        throw new Error('no');
      });
      await expect(lost).rejects.toThrow('no');
      expect(await rows()).toEqual([{ tag: 'a' }, { tag: 'b' }]);
      expect(await app().storage.em().count(tagEntity(), { projectId: 'em' })).toBe(2);
      await app().storage.write((tx) => tx.run(sql`delete from trace_tag where project_id = ${'em'}`));
    });
  });

  describe('rows of the program as a table', () => {
    it('hold every text and number exactly, and nothing', async () => {
      const texts = ['plain', '', null, 'a"b\\c', '{,}', "it's", 'null', 'é😀\n\t', '[1]', '0'];
      const numbers = [0, -1, null, 0.1, 1e-9, 2 ** 53 - 1, 1e300, 7, 8, 9];
      const found = await app().storage.write((tx) =>
        tx.all(
          anyRows()`select r.t as t, r.n as n from ${rowsFrom('r', {
            i: { type: 'number', values: texts.map((_, index) => index) },
            t: { type: 'text', values: texts },
            n: { type: 'number', values: numbers },
          })} order by r.i`,
        ),
      );
      expect(found).toEqual(texts.map((t, index) => ({ t, n: numbers[index] })));
    });
  });
}
