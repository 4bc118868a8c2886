/** The job of test/evals/job.full.e2e-spec.ts in the browser: each name has its own number. */
import { afterAll, describe, expect } from '@jest/globals';
import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { categoryOf, itemsOf, makeJob, runPrompt, SCORERS, startJobProvider, type JobProvider } from '../evals/job.ts';
import { recountComparison, recountGroups, recountRun } from '../evals/recounted-items.ts';
import { interval, percent, pWords, short, signed } from '../evals/words-of-numbers.ts';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectSoon } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

let provider: JobProvider | undefined;
let [before, after]: EvalRunSummary[] = [];
let [itemsBefore, items]: [EvalItem[], EvalItem[]] = [[], []];

const onJob = journeysOn(async () => {
  provider = await startJobProvider();
  const { api } = program;
  const job = await makeJob(api, provider.url);
  before = await runPrompt(api, job, 'old');
  after = await runPrompt(api, job, 'new');
  [itemsBefore, items] = await Promise.all([itemsOf(api, before.id), itemsOf(api, after.id)]);
});

const VERDICTS: Record<string, RegExp> = { better: /^Better/, worse: /^Worse/, no_difference: /^No difference shown/ };
const NAMES = SCORERS.map(({ name }) => name);

describe('an evaluation of 300 rows by three scorers, three times', () => {
  onJob();
  afterAll(() => provider?.close());

  /** The cells of the row that begins with this. */
  const row = async (table: Locator, name: string): Promise<string[]> => {
    const rows = await table.getByRole('row').all();
    const cells = await Promise.all(rows.map((each) => each.locator('th, td').allInnerTexts()));
    return (cells.find(([first]) => first === name) ?? []).map((cell) => cell.trim());
  };

  inBrowser('has its numbers on the page of the run, alone and beside the baseline', async () => {
    const counted = recountRun(after!, items);
    const comparison = recountComparison(after!, items, itemsBefore);
    const groups = recountGroups(after!, items, itemsBefore, { key: 'category', groupOf: categoryOf });
    await page.goto(`${program.apiUrl}/evaluations/${after!.id}?baseline=${before!.id}&group_by=category`);
    const statistics = page.getByRole('region', { name: 'Statistics' });
    const scores = statistics.getByRole('table', { name: 'Scores of this run' });
    const changes = statistics.getByRole('table', { name: 'desk new against desk old' });
    const byCategory = statistics.getByRole('table', { name: 'desk new by category' });
    await byCategory.waitFor();

    const named = (scorer: string | null) => {
      const numbers = scorer === null ? counted.score : counted.scorers[scorer]!;
      return numbers as typeof numbers & {
        [Member in 'mean' | 'se' | 'within_sd']: number;
      } & { ci: Bounds; pass_rate: { mean: number; ci: Bounds } };
    };
    for (const scorer of [null, ...NAMES]) {
      const name = scorer ?? 'All together';
      const { mean, ci, se, pass_rate: rate, within_sd: spread, ...of } = named(scorer);
      await expectSoon(
        () => row(scores, name),
        [
          ...[
            name,
            short(mean),
            interval(ci),
            short(se),
            percent(rate.mean),
            `${percent(rate.ci.low)} to ${percent(rate.ci.high)}`,
            short(spread),
          ],
          ...['always_passed', 'flaky_datapoints', 'never_passed', 'datapoints', 'samples'].map((each) =>
            String(of[each]),
          ),
        ],
      );
      const change = scorer === null ? comparison.score : comparison.scorers[scorer]!;
      await expectSoon(
        () => row(changes, name),
        [
          ...[name, signed(change.diff), interval(change.ci), pWords(change.p_value)],
          ...[change.better, change.worse, change.same].map(String),
          expect.stringMatching(VERDICTS[change.verdict]!),
        ],
      );
    }
    for (const { group, n, comparison: change, ...of } of groups) {
      const { mean, ci, pass_rate: rate } = of as unknown as ReturnType<typeof named>;
      await expectSoon(
        () => row(byCategory, group['category']!),
        [
          ...[group['category'], String(n), short(mean), interval(ci), percent(rate.mean)],
          ...[signed(change.diff), interval(change.ci), pWords(change.p_value), pWords(change.p_holm)],
          expect.stringMatching(VERDICTS[change.verdict]!),
        ],
      );
    }
    const facts = page.getByRole('list', { name: 'Run facts' });
    const { calls, judges } = provider!.bills['new']!;
    for (const [name, amount] of [
      ['Cost', calls + judges],
      ['Cost of calls', calls],
      ['Cost of judges', judges],
    ] as const) {
      const value = facts
        .getByRole('listitem')
        .filter({ hasText: new RegExp(`^${name} \\$`) })
        .locator('[title]');
      expect(Number((await value.getAttribute('title'))!.slice(1))).toBeCloseTo(amount, 9);
    }
    expectNoFaults(watched);
  });
});

interface Bounds {
  low: number;
  high: number;
}
