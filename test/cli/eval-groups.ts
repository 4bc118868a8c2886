import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { validateXML } from 'xmllint-wasm';
import { said, startScriptedProvider, type ScriptedProvider } from '../evals/scripted-provider.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

const CATEGORIES = ['billing', 'human resources', 'legal', 'login', 'refunds', 'stock'];
const OF_EACH = 50;

interface Message {
  role: string;
  content: string;
}

/** Whether a prompt gets question n of a category right: the new one loses 12 of 50 in legal, and gains 5 everywhere else. */
const isRight = (prompt: string, category: string, n: number): boolean =>
  category === 'legal' ? prompt === 'old' || n >= 12 : prompt === 'new' || n >= 5;

/** Results by category: from a CSV file to the exit code of a gate. */
export function evalGroups(lab: () => EvalCommandLab): void {
  describe('results by category', () => {
    let provider: ScriptedProvider;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    beforeAll(async () => {
      provider = await startScriptedProvider(async ({ body }) => {
        const [system, question] = body['messages'] as [Message, Message];
        if (system.content === 'held') await released;
        const [, category, n] = /^(.*) (\d+)$/.exec(question.content)!;
        return said(isRight(system.content, category!, Number(n)) ? 'right' : 'wrong');
      });
      await lab().api.post('/api/provider-connections', {
        ...{ name: 'scripted', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
      });
      const rows = CATEGORIES.flatMap((category) =>
        Array.from({ length: OF_EACH }, (_, n) => `${category} ${n},right,${category},doc ${n % 10}`),
      );
      const file = join(lab().folder, 'desk.csv');
      writeFileSync(file, `input,expected,category,metadata.doc\n${rows.join('\n')}\n`);
      const { code, out } = await lab().cli.run(['datasets', 'import', file, '--dataset', 'desk']);
      expect([code, out]).toEqual([0, 'imported 300 datapoints into "desk"\nmetadata: category, doc\n']);
    });
    afterAll(() => provider?.close());

    const path = (name: string): string => join(lab().folder, name);
    const run = (prompt: string, ...more: string[]) =>
      lab().cli.run([
        ...['eval', 'run', '--dataset', 'desk', '--connection', 'scripted', '--model', 'gpt-5.1'],
        ...['--scoring', 'Contains', '--system-prompt', prompt, '--metadata', `prompt=${prompt}`, ...more],
      ]);
    const baseline = ['--baseline', 'latest:prompt=old'];
    // Two times the tail of 12 throws of a coin, and of 5; six tests, of which five are alike.
    const P = { legal: 2 * 0.5 ** 12, other: 2 * 0.5 ** 5 };

    it('catch a category that became worse where the whole became better', async () => {
      expect((await run('old')).code).toBe(0);
      const whole = await run('new', ...baseline, '--fail-on-regression');
      expect([whole.code, whole.out]).toEqual([0, expect.stringMatching(/^no regression +better +holds$/m)]);
      const reports = ['junit=desk.xml', 'markdown=desk.markdown', 'json=desk.json'];
      const { code, out } = await run(
        'new',
        ...[...baseline, '--fail-on-regression', '--group-by', 'metadata.category', '--cluster-by', 'doc'],
        ...reports.flatMap((each) => ['-o', each.replace('=', `=${lab().folder}/`)]),
      );
      expect(code).toBe(11);
      // A document has questions of all categories, which move together: by these the whole is no better for sure.
      expect(out).toMatch(/^no regression +no difference +holds$/m);
      expect(out).toMatch(/^no regression by category +worse \(legal\) +does not hold$/m);
      expect(out).toMatch(/^By category:\ncategory +n +mean +95% interval +pass rate +difference +p +Holm's p *$/m);
      expect(out).toMatch(/^legal +50 +0\.76 +0\.\d+ to \S+ +76% +-0\.24 +\S.* +worse$/m);
      expect(out).toMatch(/corrected for 6 groups tested/);
      const { statistics, gates } = JSON.parse(readFileSync(path('desk.json'), 'utf8')) as {
        statistics: EvalStatistics;
        gates: object[];
      };
      expect(statistics).toMatchObject({ cluster_by: 'doc', group_by: ['category'], correction: { tests: 6 } });
      expect(gates).toHaveLength(2);
      const markdown = readFileSync(path('desk.markdown'), 'utf8');
      expect(markdown).toMatch(/^### By category$/m);
      expect(markdown).toMatch(/^\| `human resources` +\| 50 +\|/m);
      const junit = readFileSync(path('desk.xml'), 'utf8');
      expect(junit).toContain('<property name="groups.category=legal.mean" value="0.76"/>');
      expect(junit).toMatch(/<property name="groups.category=legal.comparison.p_holm" value="[\d.e-]+"\/>/);
      const { errors } = await validateXML({
        xml: junit,
        schema: readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8'),
      });
      expect(errors).toEqual([]);
    });

    it('are gated in words, and kept with the run', async () => {
      const gates = [
        ...['legal.pass_rate >= 50%', 'category:legal.pass_rate >= 80%', '"human resources".mean >= 1'],
        ...['pass_rate >= 50% by category', 'no regression by category', 'no category:login.regression'],
      ];
      const { code, out } = await run('new', ...baseline, ...gates.flatMap((gate) => ['--threshold', gate]));
      // Something else does not hold either.
      expect(code).toBe(10);
      expect(out).toMatch(/^category:legal\.pass_rate >= 0\.5 +0\.76 +holds$/m);
      expect(out).toMatch(/^category:legal\.pass_rate >= 0\.8 +0\.76 +does not hold$/m);
      expect(out).toMatch(/^category:"human resources"\.mean >= 1 +1 +holds$/m);
      expect(out).toMatch(/^pass_rate >= 0\.5 by category +0\.76 +holds$/m);
      expect(out).toMatch(/^no regression by category +worse \(legal\) +does not hold$/m);
      expect(out).toMatch(/^no category:login\.regression +no difference +holds$/m);
      const kept = await lab().lastRun();
      expect(kept.gates.map(({ group, by, passed }) => [group?.value ?? by, passed])).toEqual([
        ...[
          ['legal', true],
          ['legal', false],
          ['human resources', true],
        ],
        ...[
          ['category', true],
          ['category', false],
          ['login', true],
        ],
      ]);
      const checked = await lab().cli.run([
        'eval',
        'check',
        kept.id,
        ...baseline,
        '--threshold',
        'no regression by category',
      ]);
      // A gate that the run has already is not added once more.
      expect([checked.code, (await lab().evals.read(kept.id)).gates]).toEqual([10, kept.gates]);
    });

    it('are shown and compared afterwards', async () => {
      const { id, gates } = await lab().lastRun();
      const before = gates.find(({ baseline_run_id: of }) => of !== null)!.baseline_run_id!;
      const shown = await lab().cli.run([
        'eval',
        'show',
        id,
        '--group-by',
        'category',
        '--group-by',
        'doc',
        '--baseline',
        before,
      ]);
      expect(shown.out).toMatch(/^By category, doc:\ncategory +doc +n +mean/m);
      expect(shown.out).toMatch(/^legal +doc 1 +5 +0\.6 /m);
      const compared = await lab().cli.run(['eval', 'compare', id, before, '--group-by', 'category']);
      expect(compared.out).toMatch(/^legal +50 +0\.76 +.* +-0\.24 +< 0\.001 +0\.003 +worse$/m);
      const { groups, correction } = await lab().cli.json<Required<EvalStatistics>>([
        ...['eval', 'compare', id, before, '--group-by', 'category'],
      ]);
      expect(correction).toEqual({ method: 'holm', tests: 6 });
      expect(
        groups.map(({ group, n, comparison }) => [group['category'], n, comparison!.p_value, comparison!.p_holm]),
      ).toEqual(
        CATEGORIES.map((category) => {
          const [p, times] = category === 'legal' ? [P.legal, 6] : [P.other, 5];
          return [category, 50, expect.closeTo(p, 12), expect.closeTo(times * p, 12)];
        }),
      );
    });

    it('are refused before any call where no datapoint has what is named', async () => {
      const before = provider.calls.length;
      for (const [more, fault] of [
        [['--threshold', 'lagal.pass_rate >= 50%'], /gates\[0\]\.scorer.*scorer of the run: Contains; or a value of/],
        [
          ['--threshold', 'category:lagal.pass_rate >= 50%'],
          /is "lagal", which no datapoint has as category.*\(legal\?\)/,
        ],
        [
          ['--threshold', 'pass_rate >= 50% by categroy'],
          /names "categroy", which no datapoint has in its metadata.*\(category\?\)/,
        ],
        [
          ['--threshold', 'mean_ci_low >= 0', '--cluster-by', 'docs'],
          /names "docs", which no datapoint has.*\(doc\?\)/,
        ],
      ] as const) {
        const { code, err } = await run('new', ...more);
        expect([code, err]).toEqual([4, expect.stringMatching(fault)]);
      }
      const alpha = await run('new', ...baseline, '--alpha', '0.01', '--threshold', 'no regression by category');
      expect([alpha.code, alpha.err]).toEqual([2, expect.stringMatching(/--alpha: groups are judged by the server/)]);
      expect(provider.calls).toHaveLength(before);
    });

    it('cancel their runs where no datapoint has the key that is asked for', async () => {
      for (const more of [
        ['--group-by', 'categroy'],
        ['--cluster-by', 'docs', '--model', 'a', '--model', 'b'],
      ]) {
        const { code, err } = await run('held', ...more);
        expect([code, err]).toEqual([
          4,
          expect.stringMatching(/names "(categroy|docs)", which no datapoint has in its metadata/),
        ]);
        const [newest] = (await lab().cli.json<{ runs: EvalRunSummary[] }>(['eval', 'list'])).runs;
        expect(newest!.status).toBe('cancelled');
      }
      release();
    });
  });
}
