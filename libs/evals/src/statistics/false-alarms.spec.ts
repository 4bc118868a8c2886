import { describe, expect, it } from '@jest/globals';
import { random } from '../../../../test/support/random.js';
import { compareWithBaseline, type ScoreComparison } from './comparison.js';
import { loadDistributions } from './distributions.js';
import { runOf } from './testing/run-of.js';

const distributions = await loadDistributions();

const PAIRS_OF_RUNS = 200;
const DATAPOINTS = 60;
const REPEATS = 3;

/** A run of datapoints that are each passed with a chance of their own, less `drop`. */
function simulatedRun(chances: readonly number[], drop: number, next: (n: number) => number, repeats: number) {
  const passes = (chance: number) => (next(1_000_000) / 1_000_000 < chance - drop ? 1 : 0);
  return runOf(chances.map((chance) => Array.from({ length: repeats }, () => passes(chance))));
}

async function verdicts(drop: number, repeats: number): Promise<Record<ScoreComparison['verdict'], number>> {
  const next = random(17);
  const counts = { better: 0, worse: 0, no_difference: 0, unknown: 0 };
  for (let i = 0; i < PAIRS_OF_RUNS; i++) {
    const chances = Array.from({ length: DATAPOINTS }, () => 0.2 + next(1_000_000) / 1_250_000);
    const { score } = await compareWithBaseline(
      simulatedRun(chances, drop, next, repeats),
      simulatedRun(chances, 0, next, repeats),
      { baselineRunId: 'before', alpha: 0.05, changed: new Set(), distributions },
    );
    counts[score.verdict]++;
  }
  return counts;
}

describe('over 200 simulated pairs of runs', () => {
  it('the rate of false alarms is near alpha', async () => {
    const { better, worse } = await verdicts(0, REPEATS);
    // 10 are expected of Binomial(200, 0.05), and fewer than 2 or more than 21 once in a thousand.
    expect(better + worse).toBeGreaterThanOrEqual(2);
    expect(better + worse).toBeLessThanOrEqual(21);
  });

  it('the exact test gives no more false alarms than alpha', async () => {
    const { better, worse } = await verdicts(0, 1);
    expect(better + worse).toBeLessThanOrEqual(21);
  });

  it('a regression is called worse', async () => {
    const { worse, better } = await verdicts(0.25, REPEATS);
    expect(worse).toBeGreaterThanOrEqual(195);
    expect(better).toBe(0);
  });
});
