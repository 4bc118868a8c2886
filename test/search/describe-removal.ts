/** An organization that is deleted goes from the search index, too (docs/spec/projects.md#deleting-an-organization). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Registry } from '@prometheus-io/client';
import type { AuditEntry, OrganizationResource, ProjectResource } from '@spandrel/contract';
import { METRICS } from '@spandrel/kernel';
import { sql } from '@spandrel/storage';
import { RemovalStore } from '../../libs/access/src/removal/removal.store.js';
import { allColumns, tablesWith } from '../access/tables-with.ts';
import { anyRows } from '../support/any-rows.ts';
import type { CloudApp } from '../support/cloud-app.ts';
import { until } from '../support/spandrel.ts';
import { Searcher, type SearchLab } from './search-lab.ts';

const MARK = 'gone-for-good';
/** More than one call takes out of the index. */
const DOCUMENTS = 1_200;

/** What becomes of the index of an organization that is deleted. */
export function describeRemoval(opened: () => SearchLab): void {
  let lab: SearchLab;
  let where: { url: string; schema: string };
  let app: CloudApp;
  let gone: Searcher;
  let other: Searcher;

  beforeAll(async () => {
    lab = opened();
    where = await lab.newDatabase();
    app = await lab.start(where);
    gone = new Searcher(await app.createTenant({ name: MARK }));
    other = new Searcher(await app.createTenant({ name: 'stays' }));
    for (const searcher of [gone, other]) {
      await searcher.connect(lab.embeddings.url);
      await searcher.record({ id: 's', name: MARK, input: `tide of ${MARK}` });
      await searcher.findsSoon('tide', ['s'], { mode: 'vector' });
      await lab.fill(where.schema, searcher.projectId, DOCUMENTS);
    }
  });
  afterAll(() => app && lab.stop(app));

  const indexed = async (searcher: Searcher): Promise<number> =>
    (await lab.indexed(where.schema, searcher.projectId)).length;

  /** How far the deletion of a project is; `null` once it is gone. */
  const removalOf = async (): Promise<ProjectResource['removal'] | undefined> => {
    const { body } = await app.api.get<{ projects?: ProjectResource[] }>(`/api/orgs/${gone.tenant.org.id}/projects`);
    return body.projects?.[0]?.removal;
  };

  /** The value of a metric without labels. */
  const shown = async (name: string): Promise<number> => {
    const text = await app.app.get<Registry>(METRICS).getSingleMetricAsString(name);
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  };

  const isFinished = async (): Promise<boolean> =>
    (
      await app.storage.read(
        anyRows()`select 1 as one from removal where id = ${gone.tenant.org.id} and finished_at is not null`,
      )
    ).length > 0;

  describe('a search index that does not answer', () => {
    it('holds up a deletion, which says so and goes on by itself', async () => {
      const comeBack = await lab.takeIndexAway();
      // Waits to be indexed when the deletion begins.
      await gone.record({ id: 'waiting', name: MARK, input: MARK });
      const { status } = await app.api.delete<OrganizationResource>(`/api/orgs/${gone.tenant.org.id}`);
      expect(status).toBe(202);
      await until(async () => (await removalOf())?.last_error != null, 30_000);
      const removal = await removalOf();
      expect(removal).toMatchObject({ step: 'search index', rows_deleted: expect.any(Number) });
      expect(removal!.last_error).toMatch(
        /^search index: it failed( \([A-Z0-9_]+\))?; the log of the servers says more$/,
      );
      expect(removal!.last_error).not.toContain('127.0.0.1');
      expect(await shown('spandrel_removal_failures_total')).toBeGreaterThan(0);
      await app.storage.write((tx) =>
        tx.run(sql`update removal set progressed_at = progressed_at - 3600000, requested_at = requested_at - 7200000`),
      );
      await until(async () => (await shown('spandrel_removal_stalled_seconds')) >= 3_600, 30_000);
      expect(await shown('spandrel_removal_oldest_seconds')).toBeGreaterThanOrEqual(7_200);
      expect(await tablesWith(app.storage, ['waiting'])).toEqual([]);

      await comeBack();
      await app.storage.write((tx) => tx.run(sql`update removal set lease_until = 0`));
      await until(isFinished, 60_000);
      expect(await app.app.get(RemovalStore).unfinished()).toEqual([]);
    });

    it('has nothing of it afterwards, nor has any table, and others keep all that they have', async () => {
      expect(await indexed(gone)).toBe(0);
      expect(await tablesWith(app.storage, [gone.tenant.org.id, gone.projectId, gone.tenant.keyId])).toEqual([]);
      expect(new Set((await allColumns(app.storage)).map(({ schema }) => schema))).toContain('spandrel_jobs');
      expect(await indexed(other)).toBe(DOCUMENTS + 1);
      await other.findsSoon('tide', ['s']);
      const { body } = await app.api.get<{ entries: AuditEntry[] }>('/api/audit-log?action=project.deleted');
      expect(body.entries).toMatchObject([{ details: { rows: { 'search index': DOCUMENTS + 1, span: 2 } } }]);
    });

    it('gives up what came too late', async () => {
      await lab.fill(where.schema, gone.projectId, 3);
      await app.storage.write((tx) => tx.run(sql`update removal set lease_until = 0`));
      await until(async () => (await indexed(gone)) === 0);
    });
  });

  describe('a project that is cleared', () => {
    it('leaves the index in calls of some hundreds, and what it records afterwards is found', async () => {
      expect((await other.tenant.api.delete('/api/traces')).status).toBe(200);
      await until(async () => (await indexed(other)) === 0, 30_000);
      await other.record({ id: 'new', input: 'tide' });
      await other.findsSoon('tide', ['new']);
    });
  });
}
