/** One run on Postgres, in `npm test`: what else runs do there is shown by runs.e2e-spec.ts in `npm run test:full`. */
import { expect, it } from '@jest/globals';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import { EvalsLab } from './evals-lab.ts';

describeOnDatabase(POSTGRES, 'a run', ({ newDatabase }) => {
  it('calls the provider once an item, scores what it answers, and says so', async () => {
    const lab = await EvalsLab.open(await newDatabase('run'));
    const { id } = await lab.dataset(
      { Generic: { input: 'one', expected_output: 'You said: one' } },
      { Generic: { input: 'two', expected_output: 'something else' } },
    );
    const run = await lab.run(id, { scoring: 'ExactMatch' });
    expect(run).toMatchObject({ status: 'completed', total: 2, progress: 2, failed_count: 0, avg_score: 0.5 });
    expect(lab.asked()).toEqual(new Map(['one', 'two'].map((text) => [text, 1])));
    expect(lab.eventsOf(run.id).at(-1)).toEqual({ type: 'eval_completed', run_id: run.id });
    await lab.close();
  });
});
