/**
 * A server that is killed while it indexes: what it had not done is done by another, and nothing is missing. On Postgres
 * alone: local mode has no search index.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SearchWorker } from '@spandrel/search';
import { Api } from '../support/api.ts';
import { ADMIN_TOKEN, cloudEnvironment, createTenant } from '../support/tenant.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { DIMENSIONS } from './fake-embeddings.ts';
import { Searcher, type SearchLab } from './search-lab.ts';
import { anyRows } from '../support/any-rows.ts';

/** More than a batch of the worker, several times. */
const SPANS = 250;

/** What is indexed where a server was killed. */
export function describeKill(opened: () => SearchLab): void {
  describe('a server that is killed while it indexes', () => {
    let killed: Spandrel | undefined;
    afterAll(() => killed?.stop('SIGKILL'));

    it('loses no span when a server is killed between two batches', async () => {
      const lab = opened();
      const where = await lab.newDatabase();
      const file = join(tempDir(), 'search.yaml');
      const config = { url: lab.indexUrl, schema: where.schema, dimensions: DIMENSIONS, pool_max: 1 };
      writeFileSync(
        file,
        JSON.stringify({
          plugins: [{ use: 'pgvector', config }],
          search: { index: 'pgvector' },
          connections: { allow_private: ['127.0.0.1'] },
        }),
      );
      killed = await startSpandrel({ command: 'server', args: ['--config', file], env: cloudEnvironment(where.url) });
      const tenant = await createTenant(new Api(killed.apiUrl).as(ADMIN_TOKEN), {});
      const searcher = new Searcher(tenant);
      await searcher.connect(lab.embeddings.url);
      lab.embeddings.delayMs = 300;
      lab.embeddings.texts.length = 0;
      await searcher.record(...Array.from({ length: SPANS }, (_, at) => ({ id: `span-${at}`, input: `tide ${at}` })));
      await until(() => lab.embeddings.texts.length > 100);
      await killed.stop('SIGKILL');
      lab.embeddings.delayMs = 0;

      const app = await lab.start(where);
      const rows = await app.storage.read(
        anyRows<{ id: string }>()`select id from search_task where claim is not null`,
      );
      expect(rows.length).toBeGreaterThan(0);
      expect((await lab.indexed(where.schema, searcher.projectId)).length).toBeLessThan(SPANS);
      // When what the killed one held is let go.
      await app.app.get(SearchWorker).doDue(() => Date.now() + 130_000);
      const indexed = await lab.indexed(where.schema, searcher.projectId);
      expect(indexed.filter((document) => document.has_vector)).toHaveLength(SPANS);
      // What two were at is looked at once more.
      await until(
        async () => (await app.storage.read(anyRows()`select 1 as one from search_task limit 1`)).length === 0,
      );
      expect(lab.embeddings.texts.length).toBeLessThan(2 * SPANS);
      const { body } = await app.anonymous.as(tenant.key).post<{ count: number }>('/api/search', {
        query: 'tide',
        mode: 'hybrid',
        limit: 200,
      });
      expect(body.count).toBe(200);
      await lab.stop(app);
    });
  });
}
