import { describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { EvalRunResource, EvalStatistics } from '@spandrel/contract';
import { rawSql, sql, type StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { EvalsLab } from './evals-lab.ts';

/** Both servers read the key of the connection. */
const OPTIONS: ServerAppOptions = {
  settings: (settings) => void (settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7)),
};

/** What there was not before runs had samples. */
const SINCE = '20261123122530';
const TABLES = ['eval_sample', 'eval_submission', 'eval_run_metadata'];
const INDEXES = ['eval_run_newest', 'api_key_maker', 'api_key_session'];
const COLUMNS = {
  api_key: [
    ...['maker', 'maker_name', 'maker_person_id', 'suspended_at', 'used_at', 'rate_limit', 'session_id', 'token_key'],
  ],
  person: ['refused_at'],
  project: ['rate_limit'],
  eval_result: ['span_id', 'metadata', 'scores', 'result_hash'],
  eval_run: [
    ...['scorers', 'execution', 'repeats', 'pass_score', 'cost_cap', 'gates', 'metadata', 'start_hash'],
    ...['sample_progress', 'failed_samples', 'dearest_usd', 'dearest_pico', 'score_se', 'score_ci', 'passed'],
    ...['stop_reason', 'unscored', 'result_at', 'closed_at'],
  ],
};

/** Runs that an earlier version left, on both databases. @param newDatabase opens a new one. */
export function earlierVersions(newDatabase: () => Promise<StorageConfig>): void {
  describe('runs of a version that knew no samples', () => {
    it('have one sample a datapoint, statistics as if they had been made now, and go on', async () => {
      const config = await newDatabase();
      const earlier = await EvalsLab.open(config, OPTIONS);
      const generic = (input: string, expected_output?: string) => ({ Generic: { input, expected_output } });
      const { id, datapointIds } = await earlier.dataset(
        generic('a', 'You said: a'),
        generic('b', 'no'),
        // Fails, as it expects nothing.
        generic('c'),
      );
      const runs: EvalRunResource[] = [];
      for (let made = 0; made < 3; made++) runs.push(await earlier.run(id, { scoring: 'Contains' }));
      const [completed, cancelled, running] = runs as [EvalRunResource, EvalRunResource, EvalRunResource];
      const statistics = async (lab: EvalsLab, { id: runId }: EvalRunResource): Promise<EvalStatistics> =>
        (await lab.api.get<EvalStatistics>(`/api/eval/${runId}/statistics`)).body;
      const before = await statistics(earlier, completed);
      expect(before).toMatchObject({
        datapoints: 3,
        samples: 3,
        failed_samples: 1,
        score: { datapoints: 2, mean: 0.5 },
      });
      await earlier.server.storage.write(async (tx) => {
        await tx.run(sql`update eval_run set status = 4 where id = ${cancelled.id}`);
        await tx.run(sql`update eval_run set status = 1, progress = 2, failed_count = 0, ended_at = null, error = null
          where id = ${running.id}`);
        await tx.run(sql`delete from eval_result where run_id = ${running.id} and datapoint_id = ${datapointIds[2]!}`);
        for (const table of TABLES) await tx.run(rawSql(`drop table ${table}`));
        for (const index of INDEXES) await tx.run(rawSql(`drop index ${index}`));
        for (const [table, columns] of Object.entries(COLUMNS)) {
          for (const column of columns) await tx.run(rawSql(`alter table ${table} drop column ${column}`));
        }
        await tx.run(sql`delete from mikro_orm_migrations where name >= ${SINCE}`);
      });
      await earlier.server.close();

      const server = await startServerApp(config, OPTIONS);
      try {
        const lab = earlier.on(server);
        const told = { score_se: null, score_ci: null };
        expect(await lab.read(completed.id)).toEqual({ ...completed, ...told });
        expect(await lab.read(cancelled.id)).toEqual({
          ...{ ...cancelled, ...told },
          ...{ status: 'cancelled', stop_reason: 'cancelled', sample_progress: 3, failed_samples: 1 },
        });
        expect(await statistics(lab, completed)).toEqual(before);
        expect(await statistics(lab, cancelled)).toEqual({
          ...{ ...before, run_id: cancelled.id, status: 'cancelled', latency_ms: expect.anything() },
        });
        expect(await lab.ended(running.id)).toMatchObject({
          ...{ status: 'completed', progress: 3, failed_count: 1, avg_score: 0.5, score_se: before.score.se },
          ...{ sample_progress: 3, sample_total: 3, failed_samples: 1, stop_reason: null, passed: null },
        });
      } finally {
        await server.close();
        await earlier.provider.close();
      }
    });
  });
}
