import type { Verdict } from '../judge/verdict-of-run.js';

/** What became of a run, for headings. */
export const VERDICT_TITLES: Readonly<Record<Verdict, string>> = {
  passed: 'passed',
  gate: 'a gate does not hold',
  regression: 'worse than the baseline',
  stopped: 'stopped before its end',
  failed: 'the run failed',
  unfinished: 'not finished yet',
};
