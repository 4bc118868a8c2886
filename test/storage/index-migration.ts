import { expect, it } from '@jest/globals';
import { rawSql, sql, type StorageConfig } from '@spandrel/storage';
import { sampleTraces, samples, span } from './samples.js';
import { TracingApp } from './tracing-app.js';
import { anyRows } from '../support/any-rows.ts';

const INDEXES = ['provider', 'kind', 'name', 'name_id', 'parent', 'duration', 'tokens', 'cost'].map(
  (name) => `span_${name}`,
);
const QUERIES = ['provider=p0', 'sort_by=cost', 'sort_by=name&sort_order=asc', 'duration_min=3', 'name_contains=a'];

/** @param newDatabase a database of its own, to be opened twice. */
export function indexMigration(newDatabase: () => Promise<StorageConfig>): void {
  it('gets its indexes for queries where it has spans already', async () => {
    const config = await newDatabase();
    const earlier = await TracingApp.open(config);
    await earlier.post('/api/ingest', { traces: sampleTraces, spans: samples(60).map(span) });
    const answers = await Promise.all(QUERIES.map((query) => earlier.get(`/api/spans?${query}`)));
    await earlier.storage.write(async (tx) => {
      for (const index of INDEXES) await tx.run(rawSql(`drop index ${index}`));
      await tx.run(sql`delete from mikro_orm_migrations where name like '%span-query-indexes'`);
    });
    await earlier.close();

    const migrated = await TracingApp.open(config);
    for (const [index, query] of QUERIES.entries()) {
      expect((await migrated.get(`/api/spans?${query}`)).body).toEqual(answers[index]!.body);
    }
    const { dialect } = migrated.storage;
    const rows = await migrated.storage.readLong(
      anyRows<{ name: string }>()`${
        dialect === 'sqlite'
          ? sql`select name from sqlite_schema where type = 'index' and tbl_name = 'span'`
          : sql`select indexname as name from pg_indexes where tablename = 'span'`
      }`,
    );
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(INDEXES));
    await migrated.close();
  });
}
