import { describe, expect, it } from '@jest/globals';
import { listTracesSchema } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { rawSql, renderSql, sql, type Sql, type Storage } from '@spandrel/storage';
import type { MetadataIndex } from '../metadata/metadata-index.store.js';
import { ReadStorePort } from '../reading/read-store-port.js';
import { ScoresPort, type ScoresOfRecords } from '../reading/scores-port.js';
import type { TraceLookups } from '../reading/trace-lookups.store.js';
import { TraceListStore } from './trace-list.store.js';

const IDS = ['t-1', 't-2'];

describe('traces by a score, of which some are known by another score', () => {
  it('are found by their scores alone: with a condition on their ids SQLite would look for each id once a score', async () => {
    const statements: string[] = [];
    const readLong = (read: Sql) => {
      statements.push(renderSql(read, 'sqlite').text);
      return Promise.resolve([]);
    };
    const scores = new ScoresPort();
    const sorted: (readonly string[] | undefined)[] = [];
    scores.registered = {
      findTargets: () => Promise.resolve({ ids: IDS, conditions: [], order: () => Promise.resolve(undefined) }),
      sortTargets: (...[, , , , ids]) => {
        sorted.push(ids);
        return { from: sql`score c`, where: rawSql('1 = 1'), at: 'c.value', id: 'c.trace_id' };
      },
    } as Partial<ScoresOfRecords> as ScoresOfRecords;
    const list = new TraceListStore(
      { dialect: 'sqlite', readLong } as Partial<Storage> as Storage,
      scores,
      { split: (query: object) => query } as Partial<MetadataIndex> as MetadataIndex,
      new ReadStorePort(),
      {} as TraceLookups,
    );
    await list.list(LOCAL_SCOPE, listTracesSchema.parse({ sort_by: 'score:quality', score: 'helpful:yes' }));
    expect(sorted).toEqual([IDS]);
    expect(statements).toHaveLength(1);
    expect(statements[0]).toContain('score c');
    expect(statements[0]).not.toContain('json_each');
  });
});
