import { describe, expect, it } from '@jest/globals';
import { rawSql } from '@spandrel/storage';
import { anyRows } from '../support/any-rows.ts';
import type { EvalsLab } from './evals-lab.ts';

const TABLES = ['eval_result', 'eval_sample', 'eval_submission', 'eval_run_metadata'];

/** What goes with runs that are deleted, on both databases. */
export function deletedRuns(lab: () => EvalsLab): void {
  describe('a run that is deleted', () => {
    const rows = async (runId: string): Promise<string[]> => {
      const found = await Promise.all(
        TABLES.map((table) =>
          lab().server.storage.read(anyRows()`select 1 as one from ${rawSql(table)} where run_id = ${runId}`),
        ),
      );
      return TABLES.filter((_table, index) => found[index]!.length > 0);
    };

    it('goes with its samples and texts, by itself and with its dataset', async () => {
      const { id } = await lab().dataset('a', 'b');
      const body = { repeats: 2, metadata: { commit: 'c' } };
      const [one, other] = [await lab().run(id, body), await lab().run(id, body)];
      const kept = ['eval_result', 'eval_sample', 'eval_run_metadata'];
      for (const run of [one, other]) expect(await rows(run.id)).toEqual(kept);
      expect((await lab().api.delete(`/api/eval/${one.id}`)).status).toBe(200);
      expect([await rows(one.id), await rows(other.id)]).toEqual([[], kept]);
      expect((await lab().api.delete(`/api/datasets/${id}`)).status).toBe(200);
      expect(await rows(other.id)).toEqual([]);
    });
  });
}
