import { Kysely } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import type pg from 'pg';
import type { TransactionWatch } from '../transactions/transaction-watch.js';

/**
 * What the ORM takes for a connection: a query builder whose statements all go to one client taken from the pool.
 * @param watch hears of them.
 */
export function connectionOf(client: pg.PoolClient, watch: TransactionWatch): Kysely<unknown> {
  const taken = new Proxy(client, {
    get(target, property) {
      if (property === 'release') return () => undefined;
      if (property === 'query') {
        return (text: string, values: unknown[]) => watch.whileAnswered(() => target.query(text, values));
      }
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const pool = { connect: async () => taken, end: async () => undefined, options: {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
}
