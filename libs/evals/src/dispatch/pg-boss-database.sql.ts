import { Injectable } from '@nestjs/common';
import { sql, Storage, type WriteTx } from '@spandrel/storage';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Db } from 'pg-boss';

/**
 * Instances that start at once wait for each other on it. Any constant but those of libs/storage (migrations …112,
 * partitions …113), whose holders have nothing to do with it.
 */
const INSTALL_LOCK = 7_261_500_114;

/** The database as pg-boss takes it: our pool, and our transactions. */
@Injectable()
export class PgBossDatabase {
  constructor(private readonly storage: Storage) {}

  readonly pool: Db = {
    executeSql: (text, values) =>
      (this.storage.em().getKysely() as Kysely<unknown>).connection().execute(async (connection) => {
        try {
          return await execute(connection, text, values);
        } catch (error) {
          // Some texts are a whole transaction; the connection must not go back to the pool in the midst of one.
          if (/\bbegin\b/i.test(text)) await execute(connection, 'rollback').catch(() => undefined);
          throw error;
        }
      }),
  };

  within = (tx: WriteTx): Db => ({
    executeSql: (text, values) => execute(tx.em.getKysely() as Kysely<unknown>, text, values),
  });

  async write(work: (db: Db) => Promise<void>): Promise<void> {
    await this.storage.write((tx) => work(this.within(tx)));
  }

  /** Runs `install` while no other instance does. */
  async alone(install: () => Promise<void>): Promise<void> {
    await this.storage.write(async (tx) => {
      await tx.run(sql`select pg_advisory_xact_lock(${INSTALL_LOCK})`);
      await install();
    });
  }
}

async function execute(
  kysely: Kysely<unknown>,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ rows: unknown[] }> {
  return { rows: (await kysely.executeQuery(CompiledQuery.raw(text, [...values]))).rows };
}
