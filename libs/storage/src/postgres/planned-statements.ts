import type pg from 'pg';
import type { RenderedSql } from '../statements/sql.js';

/** Plans kept on a connection: one of a statement about 30 partitions takes 250 to 500 KB of the server. */
const PLANS_MAX = 16;

/** One plan for all values that reads indexes in their order: it is made while a partition may be empty, and kept. */
const BEGIN = `begin read only; set local plan_cache_mode = force_generic_plan; set local jit = off;
  set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local max_parallel_workers_per_gather = 0`;

/**
 * Statements that are planned once a connection: about thirty partitions planning takes 10 to 90 ms, doing it 1 to 5.
 * Plans used least recently are given up.
 */
export class PlannedStatements {
  /** Names of prepared statements by their text, the latest used last. */
  private readonly kept = new WeakMap<pg.PoolClient, Map<string, string>>();
  private made = 0;

  async query(client: pg.PoolClient, { text, params }: RenderedSql): Promise<pg.QueryResult> {
    const name = this.nameOn(client, text);
    const sent = [client.query(BEGIN), client.query({ name, text, values: params }), client.query('commit')] as const;
    const [begun, answered, ended] = await Promise.allSettled(sent);
    // What the database met first is what the others failed of.
    for (const one of [begun, answered, ended]) if (one.status === 'rejected') throw one.reason;
    return (answered as PromiseFulfilledResult<pg.QueryResult>).value;
  }

  private nameOn(client: pg.PoolClient, text: string): string {
    const names = this.kept.get(client) ?? new Map<string, string>();
    this.kept.set(client, names);
    const name = names.get(text) ?? `spandrel_list_${this.made++}`;
    names.delete(text);
    names.set(text, name);
    if (names.size > PLANS_MAX) {
      const [oldest, given] = names.entries().next().value!;
      names.delete(oldest);
      forget(client, given);
    }
    return name;
  }
}

/** Gives up a prepared statement, which there may not be: one that failed was never made. */
function forget(client: pg.PoolClient, name: string): void {
  const { connection } = client as unknown as { connection?: { parsedStatements?: Record<string, string> } };
  delete connection?.parsedStatements?.[name];
  client.query(`deallocate ${name}`).catch(() => undefined);
}
