import { describe, expect, it } from '@jest/globals';
import { sql, type WriteTx } from '@spandrel/storage';
import type { TracingApp } from './tracing-app.js';
import { anyRows } from '../support/any-rows.ts';

export function transactionEnd(app: () => TracingApp): void {
  describe('the end of a transaction', () => {
    const add = (tx: WriteTx, tag: string): Promise<number> =>
      tx.run(sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('end', ${tag}, 1, 't')`);
    const tags = async (): Promise<string[]> => {
      const rows = await app().storage.readLong(
        anyRows<{ tag: string }>()`select tag from trace_tag where project_id = ${'end'} order by tag`,
      );
      return rows.map(({ tag }) => tag);
    };

    it('comes after its work and belongs to it; what follows it finds it durable', async () => {
      const steps: string[] = [];
      let seen: Promise<string[]> | undefined;
      const answer = await app().storage.write(async (tx) => {
        tx.end.afterCommit(() => {
          steps.push('after');
          seen = tags();
        });
        tx.end.beforeCommit(async () => {
          steps.push('before');
          await add(tx, 'last');
        });
        await add(tx, 'first');
        steps.push('work');
        return 'answer';
      });
      expect(answer).toBe('answer');
      expect(steps).toEqual(['work', 'before', 'after']);
      expect(await seen).toEqual(['first', 'last']);
    });

    it('that fails loses all of it, and nothing follows', async () => {
      let followed = false;
      const lost = app().storage.write(async (tx) => {
        tx.end.afterCommit(() => void (followed = true));
        tx.end.beforeCommit(async () => {
          await add(tx, 'lost-too');
          throw new Error('no');
        });
        await add(tx, 'lost');
      });
      await expect(lost).rejects.toThrow('no');
      expect(followed).toBe(false);
      expect(await tags()).toEqual(['first', 'last']);
    });

    it('has had its effect when something after it fails', async () => {
      let later = false;
      const answer = await app().storage.write(async (tx) => {
        tx.end.afterCommit(() => {
          throw new Error('after all');
        });
        tx.end.afterCommit(() => void (later = true));
        await add(tx, 'kept');
        return 'kept';
      });
      expect([answer, later]).toEqual(['kept', true]);
      expect(await tags()).toEqual(['first', 'kept', 'last']);
    });

    it('is not reached by work that fails', async () => {
      let reached = 0;
      const lost = app().storage.write(async (tx) => {
        tx.end.beforeCommit(async () => void reached++);
        tx.end.afterCommit(() => void reached++);
        throw new Error('no');
      });
      await expect(lost).rejects.toThrow('no');
      expect(reached).toBe(0);
      await app().storage.write((tx) => tx.run(sql`delete from trace_tag where project_id = ${'end'}`));
    });
  });
}
