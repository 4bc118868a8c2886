/**
 * An evaluation engineer's job from its CSV file to the verdict: every number of it, counted again from the items, stands under its own
 * name in the API, the SDK and on the command line; test/dashboard/job.journeys.ts looks for them in the browser.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ComparedItemList, EvalComparison, EvalItem, EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { Spandrel } from '@spandrel/sdk';
import { CommandLine } from '../cli/command-line.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { differences } from '../support/differences.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { EvalsSettings } from '@spandrel/evals';
import {
  categoryOf,
  itemsOf,
  makeJob,
  CATEGORIES,
  REPEATS,
  ROWS,
  runPrompt,
  SCORERS,
  startJobProvider,
  type JobProvider,
} from './job.ts';
import { differenceWords, dollars, interval, percent, pWords, short, signed } from './words-of-numbers.ts';
import { recountComparison, recountGroups, recountRun, sumOf } from './recounted-items.ts';

const TOLERANCE = 1e-9;
const BY_CATEGORY = { key: 'category', groupOf: categoryOf };
const NAMES = SCORERS.map(({ name }) => name);

describeOnBothDatabases('an evaluation of 300 rows by three scorers, three times', ({ newDatabase }) => {
  let provider: JobProvider;
  let server: ServerApp;
  let cli: CommandLine;
  let before: EvalRunSummary;
  let after: EvalRunSummary;
  let [itemsBefore, items]: [EvalItem[], EvalItem[]] = [[], []];
  /** What all surfaces must say of the changed run beside its baseline. */
  let expected: ReturnType<typeof recountRun> & {
    call_cost: number;
    comparison: ReturnType<typeof recountComparison>;
    groups: ReturnType<typeof recountGroups>;
  };

  beforeAll(async () => {
    provider = await startJobProvider();
    server = await startServerApp(await newDatabase('job'), {
      settings: (settings) => void Object.assign(settings.of(EvalsSettings), { concurrency: 16, callsMax: 16 }),
    });
    const { api } = server;
    cli = new CommandLine({ SPANDREL_API_URL: server.url });
    const job = await makeJob(api, provider.url);
    before = await runPrompt(api, job, 'old');
    const gates = [
      { metric: 'regression', baseline_run_id: before.id },
      { metric: 'regression', by: 'category', baseline_run_id: before.id },
      { metric: 'pass_rate', op: '>=', value: 0 },
      ...NAMES.map((scorer) => ({ metric: 'mean', scorer, op: '>=', value: 0 })),
      ...NAMES.map((scorer) => ({ metric: 'pass_rate', scorer, op: '>=', value: 0 })),
      { metric: 'total_cost', op: '<=', value: 100 },
    ];
    after = await runPrompt(api, job, 'new', { gates });
    [itemsBefore, items] = await Promise.all([itemsOf(api, before.id), itemsOf(api, after.id)]);
    expected = {
      ...recountRun(after, items),
      call_cost: provider.bills['new']!.calls,
      comparison: recountComparison(after, items, itemsBefore),
      groups: recountGroups(after, items, itemsBefore, BY_CATEGORY),
    };
  }, 240_000);
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  const query = () => `?baseline=${before.id}&group_by=metadata.category`;
  const expectCounted = (found: Partial<EvalStatistics>, numbers: object = expected): void =>
    expect(differences(numbers, found, TOLERANCE)).toEqual([]);

  it('has what the script makes of it: scores of all three, failures of calls and of judges, a category that fell', () => {
    for (const run of [before, after]) expect(run).toMatchObject({ status: 'completed', pass_mode: 'all' });
    expect(after.scorers.map(({ name, weight, pass_score: least }) => [name, weight, least])).toEqual([
      ['Contains', 2, 1],
      ['Tone', 1, 0.5],
      ['Concise', 1, 1],
    ]);
    for (const each of [itemsBefore, items]) {
      const samples = each.flatMap((item) => item.samples!);
      expect([each.length, samples.length]).toEqual([ROWS, ROWS * REPEATS]);
      expect(samples.filter(({ output }) => output === null).length).toBeGreaterThan(5);
      expect(samples.filter(({ status, output }) => status === 'failed' && output !== null).length).toBeGreaterThan(2);
    }
    // Each name has a number of its own, or else it would not be seen that one stands under another's name.
    const means = [expected.score, ...Object.values(expected.scorers)].map(({ mean }) => Number(mean).toFixed(3));
    expect(new Set(means).size).toBe(4);
    const rates = [expected.score, ...Object.values(expected.scorers)].map(({ pass_rate: rate }) =>
      Number((rate as { mean: number }).mean).toFixed(3),
    );
    expect(new Set(rates).size).toBe(4);
    const verdicts = expected.groups.map(({ group, comparison }) => [group['category'], comparison.verdict]);
    expect(verdicts[CATEGORIES.indexOf('legal')]).toEqual(['legal', 'worse']);
  });

  it('has its numbers in the statistics, the comparison and the groups of the API', async () => {
    const { api } = server;
    expectCounted((await api.get<EvalStatistics>(`/api/eval/${after.id}/statistics${query()}`)).body);
    const { body: alone } = await api.get<EvalStatistics>(`/api/eval/${before.id}/statistics`);
    expectCounted(alone, { ...recountRun(before, itemsBefore), comparison: null });
  });

  it('has its numbers in the run, its items, its gates, and costs what the provider charged', async () => {
    for (const [run, of, prompt] of [
      [before, itemsBefore, 'old'],
      [after, items, 'new'],
    ] as const) {
      const { score, cost, judge_cost: judges, failed_samples: failed, tokens } = recountRun(run, of);
      const bill = provider.bills[prompt]!;
      expect(cost.total).toBeCloseTo(bill.calls + bill.judges, 9);
      expect(judges).toBeCloseTo(bill.judges, 9);
      const numbers = {
        ...{ avg_score: score['mean'], score_se: score['se'], score_ci: score['ci'] },
        ...{ total_cost: bill.calls + bill.judges, call_cost: bill.calls, judge_cost: bill.judges },
        ...{ failed_samples: failed, sample_progress: ROWS * REPEATS, total_tokens: tokens },
        failed_count: of.filter(({ status }) => status === 'failed').length,
        judge_tokens: sumOf(of.flatMap((item) => item.samples!.map(({ judge_tokens: each }) => each ?? 0))),
      };
      expect(differences(numbers, run, TOLERANCE)).toEqual([]);
      const wrong = of.filter(({ samples, ...item }) => {
        const scores = samples!.flatMap((sample) => sample.score ?? []);
        const mean = scores.length === 0 ? null : sumOf(scores) / scores.length;
        const together = samples!.every(({ score, scores: by }) => {
          const [contains, tone, concise] = NAMES.map((name) => by[name]?.score ?? null);
          const isWhole = contains != null && tone != null && concise != null;
          return isWhole ? Math.abs(score! - (2 * contains + tone + concise) / 4) < TOLERANCE : score === null;
        });
        return !together || differences({ mean }, { mean: item.score }, TOLERANCE).length > 0;
      });
      expect(wrong).toEqual([]);
    }
    const [whole, byCategory, passed, ...others] = after.gates;
    const { score, scorers, cost, groups, comparison } = expected;
    const rateOf = (of: Record<string, unknown>) => (of['pass_rate'] as { mean: number }).mean;
    expect([whole!.actual, byCategory!.actual]).toEqual([comparison.score.verdict, 'worse']);
    expect(byCategory!.failing!.map(({ value }) => value)).toEqual(
      groups.filter((group) => group.comparison.verdict === 'worse').map(({ group }) => group['category']),
    );
    const actual = [passed, ...others].map((gate) => Number(gate!.actual));
    const counted = [
      rateOf(score),
      ...NAMES.map((name) => scorers[name]!['mean']),
      ...NAMES.map((name) => rateOf(scorers[name]!)),
      cost.total,
    ];
    expect(differences(counted, actual, TOLERANCE)).toEqual([]);
    const runs = `runs=${before.id},${after.id}`;
    const { body: beside } = await server.api.get<EvalComparison>(`/api/datasets/${after.dataset_id}/compare?${runs}`);
    const costs = ['old', 'new'].map((prompt) => provider.bills[prompt]!);
    const inBoth = [before, after].map(({ id }, at) => {
      const { calls, judges } = costs[at]!;
      const mean = recountRun(after, at === 0 ? itemsBefore : items).score['mean'];
      return { id, avg_score: mean, total_cost: calls + judges, call_cost: calls, judge_cost: judges };
    });
    expect(differences(inBoth, beside.runs, TOLERANCE)).toEqual([]);
    const { body: compared } = await server.api.get<ComparedItemList>(
      `/api/datasets/${after.dataset_id}/compare/items?${runs}&limit=1`,
    );
    const { pairs, better, worse, same, diff } = comparison.score;
    expect(
      differences(
        { compared: pairs, improved: better, regressed: worse, unchanged: same, mean_delta: diff },
        compared.summary,
        TOLERANCE,
      ),
    ).toEqual([]);
  });

  it('has its numbers in the SDK', async () => {
    const { api } = new Spandrel({ apiUrl: server.url });
    const path = { id: after.id };
    expectCounted(await api.getEvalStatistics({ path, query: { baseline: before.id, group_by: ['category'] } }));
    const read: object[] = [];
    for await (const item of api.pages('listEvalItems', { path, query: { include: 'samples', limit: 200 } }))
      read.push(item);
    expect(read).toEqual(items);
  });

  it('has its numbers on the command line, for programs and for people', async () => {
    const shown = ['eval', 'show', after.id, '--baseline', before.id, '--group-by', 'category'];
    const compared = ['eval', 'compare', after.id, before.id, '--group-by', 'category'];
    const json = async (words: string[]) => JSON.parse((await cli.run([...words, '--json'])).out) as unknown;
    const document = (await json(shown)) as { statistics: EvalStatistics };
    expectCounted(document.statistics);
    expectCounted((await json(compared)) as EvalStatistics, {
      comparison: expected.comparison,
      groups: expected.groups,
    });
    // The texts round the numbers that were just compared: the last digit of a number counted again may round otherwise.
    const answered = document.statistics as unknown as typeof expected;
    const { comparison, groups } = answered;

    const show = (await cli.run(shown)).out;
    const compare = (await cli.run(compared)).out;
    const named = (scorer: string | null) => (scorer === null ? answered.score : answered.scorers[scorer]!);
    for (const scorer of [null, ...NAMES]) {
      const of = scorer === null ? '' : ` of ${scorer}`;
      const { mean, ci, pass_rate: rate } = named(scorer) as unknown as EvalStatistics['score'];
      expect(show).toMatch(lineOf(`Mean score${of}`, short(mean!), interval(ci!)));
      expect(show).toMatch(
        lineOf(`Pass rate${of}`, percent(rate.mean!), `${percent(rate.ci!.low)} to ${percent(rate.ci!.high)}`),
      );
      const difference = scorer === null ? comparison.score : comparison.scorers[scorer]!;
      const words = differenceWords(difference);
      expect(show).toContain(words);
      expect(compare.slice(compare.indexOf(`\n${scorer ?? 'Score'}: `) + 1).split('\n')[1]).toBe(`  ${words}`);
    }
    expect(show).toMatch(lineOf('Failed samples', `${expected.failed_samples} of ${ROWS * REPEATS}`));
    const { calls, judges } = provider.bills['new']!;
    expect(show).toMatch(lineOf('Cost', dollars(calls + judges)));
    expect(show).toMatch(lineOf('Cost of calls', dollars(calls)));
    expect(show).toMatch(lineOf('Cost of judges', dollars(judges)));
    for (const { group, n, comparison: change, ...of } of groups) {
      const { mean, ci, pass_rate: rate } = of as unknown as EvalStatistics['score'];
      const cells = [String(n), short(mean!), interval(ci!), percent(rate.mean!)];
      const changed = [
        signed(change.diff),
        pWords(change.p_value),
        pWords(change.p_holm),
        change.verdict.replace('_', ' '),
      ];
      const line = lineOf(group['category']!, ...cells, ...changed);
      for (const text of [show, compare]) expect(text).toMatch(line);
    }
  });
});

/** A line of a table with these cells. */
const lineOf = (...cells: readonly string[]): RegExp =>
  new RegExp(`^${cells.map((cell) => cell.replaceAll(/[.+$^]/g, String.raw`\$&`)).join(' +')} *$`, 'm');
