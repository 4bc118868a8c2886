/** What a table's rows go to shards by: a span lies with its trace; the position of the loader lies in one place. */
const SHARDED_BY: Record<string, string> = { spans: 'sipHash64(trace_id)', traces: 'sipHash64(id)', loader: '0' };

/** The table that holds rows itself: of the same name where there is one server. */
export const heldBy = (table: string, cluster: string | undefined): string =>
  cluster === undefined ? table : `${table}_local`;

/** What stands behind the name of a table in a statement that is for all servers. */
export const onCluster = (cluster: string | undefined): string =>
  cluster === undefined ? '' : ` ON CLUSTER ${cluster}`;

/**
 * Statements for one server as those for a cluster: each table holds the rows of its shard, on all replicas, under a name of
 * its own, and its name is that of a table that leads to all shards.
 * @param statements that create a database or a table, or alter a table. @throws Error at any other one.
 */
export const inCluster = (database: string, cluster: string, statements: readonly string[]): string[] =>
  statements.flatMap((statement) => {
    const [, verb, table, rest] =
      /^(CREATE DATABASE IF NOT EXISTS|CREATE TABLE IF NOT EXISTS|ALTER TABLE) \w+(?:\.(\w+))?(.*)$/s.exec(statement) ??
      [];
    const on = onCluster(cluster);
    if (verb === 'CREATE DATABASE IF NOT EXISTS') return [statement + on];
    const shardedBy = table && SHARDED_BY[table];
    if (!verb || !shardedBy) throw new Error(`not known in a cluster: ${statement}`);
    const held = heldBy(table, cluster);
    const here = `${verb} ${database}.${held}${on}${replicated(rest!)}`;
    if (verb === 'ALTER TABLE')
      return / MODIFY (?:SETTING|TTL) /.test(rest!) ? [here] : [here, statement.replace(rest!, on + rest!)];
    const comment = / COMMENT '[^']*'$/.exec(rest!)?.[0] ?? '';
    const all = `ENGINE = Distributed(${cluster}, ${database}, ${held}, ${shardedBy})${comment}`;
    return [here, `${verb} ${database}.${table}${on} AS ${database}.${held} ${all}`];
  });

const replicated = (rest: string): string =>
  rest.replace(
    'ENGINE = ReplacingMergeTree(',
    `ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', `,
  );

/** Settings of all statements in a cluster: writes are answered once they are on a replica of their shard. */
const IN_CLUSTER = {
  distributed_foreground_insert: 1,
  distributed_product_mode: 'global',
  distributed_ddl_task_timeout: '60',
} as const;
/**
 * And where shards have several replicas: writes are answered once most of these have them, and one that lacks a write answers
 * no read. So what has been confirmed is seen, or the database answers alone.
 */
const WITH_REPLICAS = { insert_quorum: 'auto', insert_quorum_parallel: 0, select_sequential_consistency: '1' } as const;

/** @param replicas of the shard that has most. */
export const clusterSettings = (replicas: number): object => ({ ...IN_CLUSTER, ...(replicas > 1 && WITH_REPLICAS) });
