import { expect, it } from '@jest/globals';
import { createLogger, Unavailable } from '@spandrel/kernel';
import { openStorage, sql, type StorageConfig, type WriteTx } from '@spandrel/storage';
import { anyRows } from '../support/any-rows.ts';

const IDLE_MS = 200;
const tag = (name: string) =>
  sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('p', ${name}, 1, 't')`;

/** What happens to a transaction whose work waits for something that never comes. */
export function givenUp(newDatabase: () => Promise<StorageConfig>): void {
  it('gives up a transaction that asks nothing more: it holds nothing, and changes nothing when it goes on', async () => {
    const logger = createLogger('silent', 'test');
    const config = { ...(await newDatabase()), poolMax: 1 };
    const storage = await openStorage(config, { entities: [], logger, transactionIdleMs: IDLE_MS });
    try {
      const { promise: late, resolve: goOn } = Promise.withResolvers<void>();
      const refusals = Promise.withResolvers<unknown[]>();
      const hanging = storage.write(async (tx: WriteTx) => {
        await tx.run(tag('hanging'));
        await late;
        const attempts = [
          tx.run(tag('late')),
          tx.all(anyRows()`select 1`),
          Promise.try(() => tx.em.execute('select 1')),
        ];
        const outcomes = await Promise.allSettled(attempts);
        refusals.resolve(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason));
      });
      const behind = storage.write((tx) => tx.run(tag('behind')));
      await expect(hanging).rejects.toBeInstanceOf(Unavailable);
      await behind;
      // Goes on while another transaction is open on what was its connection.
      await storage.write(async (tx) => {
        await tx.run(tag('meanwhile'));
        goOn();
        for (const reason of await refusals.promise) expect(reason).toBeInstanceOf(Error);
      });
      const rows = await storage.readLong(anyRows<{ tag: string }>()`select tag from trace_tag order by tag`);
      expect(rows.map((row) => row.tag)).toEqual(['behind', 'meanwhile']);
      expect(await storage.write(async (tx) => tx.run(tag('next')))).toBe(1);
    } finally {
      await storage.close();
    }
  });
}
