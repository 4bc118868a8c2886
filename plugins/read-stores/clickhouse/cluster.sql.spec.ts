import { describe, expect, it } from '@jest/globals';
import { clusterSettings, inCluster } from './cluster.sql.js';
import { movedTo, tablesOf } from './tables.sql.js';

const STATEMENTS = [...tablesOf('db'), ...movedTo('db', { policy: 'tiered', volume: 'cold', after_days: 30 })];

describe('inCluster', () => {
  const statements = inCluster('db', 'three', STATEMENTS);

  it('has every statement run on all servers', () => {
    for (const statement of statements) expect(statement).toContain(' ON CLUSTER three');
  });

  it('gives each table a replicated one that holds rows, and one that leads to all shards', () => {
    const tables = STATEMENTS.flatMap(
      (statement) => /^CREATE TABLE IF NOT EXISTS db\.(\w+)/.exec(statement)?.[1] ?? [],
    );
    expect(tables.length).toBeGreaterThanOrEqual(2);
    for (const table of tables) {
      const [held, all] = statements.filter((statement) =>
        new RegExp(`^CREATE TABLE IF NOT EXISTS db\\.${table}(_local)? `).test(statement),
      );
      expect(held).toMatch(/ENGINE = ReplicatedReplacingMergeTree\('[^']+', '\{replica\}', \w+/);
      expect(all).toContain(`AS db.${table}_local ENGINE = Distributed(three, db, ${table}_local, `);
    }
    expect(statements.join('\n')).not.toContain('ENGINE = ReplacingMergeTree');
  });

  it('alters columns of both, and where rows lie of the one that holds them', () => {
    const column = inCluster('db', 'three', ['ALTER TABLE db.spans ADD COLUMN IF NOT EXISTS a Int64']);
    expect(column).toEqual([
      'ALTER TABLE db.spans_local ON CLUSTER three ADD COLUMN IF NOT EXISTS a Int64',
      'ALTER TABLE db.spans ON CLUSTER three ADD COLUMN IF NOT EXISTS a Int64',
    ]);
    expect(statements.filter((statement) => statement.startsWith('ALTER'))).toEqual([
      "ALTER TABLE db.spans_local ON CLUSTER three MODIFY SETTING storage_policy = 'tiered'",
      "ALTER TABLE db.spans_local ON CLUSTER three MODIFY TTL toDateTime(intDiv(started_at, 1000)) + toIntervalDay(30) TO VOLUME 'cold'",
    ]);
  });

  it('refuses a table of which it does not know where rows go, and statements that it does not know', () => {
    expect(() => inCluster('db', 'three', ['CREATE TABLE IF NOT EXISTS db.other (a Int64)'])).toThrow('not known');
    expect(() => inCluster('db', 'three', ['DROP TABLE db.spans'])).toThrow('not known');
  });
});

describe('clusterSettings', () => {
  it('asks for a quorum where there are replicas', () => {
    expect(clusterSettings(2)).toMatchObject({ insert_quorum: 'auto', distributed_foreground_insert: 1 });
    expect(clusterSettings(1)).not.toHaveProperty('insert_quorum');
  });
});
