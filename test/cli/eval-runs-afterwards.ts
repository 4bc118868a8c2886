import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import type { EvalCommandLab } from './eval-command-lab.ts';
import { wordsOf } from './words-of.ts';

/** What is done with runs that are there: `spandrel eval check`, `compare`, `list` and `show`, and the examples of docs/cli.md. */
export function evalRunsAfterwards(lab: () => EvalCommandLab): void {
  describe('a run that was started before', () => {
    it('is waited for and judged by spandrel eval check', async () => {
      const detached = await lab().run('capitals', 'gpt-5.1', '--detach', '--threshold', 'mean >= 0.5');
      expect([detached.code, detached.out]).toEqual([0, expect.stringMatching(/^01\w{24}\n$/)]);
      const id = detached.out.trim();
      expect((await lab().cli.run(['eval', 'check', id])).code).toBe(0);
      const stricter = await lab().cli.run(['eval', 'check', id, '--threshold', 'mean >= 0.9', '--json']);
      expect([stricter.code, JSON.parse(stricter.out)]).toMatchObject([
        10,
        {
          verdict: 'gate',
          exit_code: 10,
          gates: [{ passed: true }, { gate: 'mean >= 0.9', found: '0.75', passed: false }],
          run: { id },
        },
      ]);
      // It stays with the run, and a gate that it has is not added once more.
      await lab().cli.run(['eval', 'check', id, '--threshold', 'mean >= 0.9']);
      expect(await lab().evals.read(id)).toMatchObject({ passed: false, gates: [{ value: 0.5 }, { value: 0.9 }] });
      expect(await lab().cli.run(['eval', 'check', 'nothing'])).toMatchObject({
        code: 4,
        err: expect.stringContaining('eval_run_not_found'),
      });
    });

    it('is compared with another, by an alpha of its own too', async () => {
      const { runs } = await lab().cli.json<{ runs: EvalRunResource[] }>([
        'eval',
        'list',
        '--dataset',
        'luck',
        '--limit',
        '10',
      ]);
      const [both, worse, noise, main] = runs.map(({ id }) => id) as [string, string, string, string];
      const words = await lab().cli.run(['eval', 'compare', worse, main]);
      expect(words.code).toBe(0);
      expect(words.out).toMatch(/^Contains: worse by 0\.\d+\.$/m);
      expect(words.out).toMatch(/^60 datapoints compared\.$/m);
      expect(words.out).toMatch(/^10 datapoints that changed most:\nchange +score +input/m);
      expect(words.out).toMatch(/^ *-1 +1 → 0 +question \d+ +question \d+ +You said: question \d+ +I do not know$/m);
      const { comparison, changed } = await lab().cli.json<{ comparison: object; changed: { delta: number }[] }>([
        ...['eval', 'compare', noise, main, '--limit', '3'],
      ]);
      expect(comparison).toMatchObject({ pairs: 60, score: { verdict: 'no_difference' } });
      expect(changed.map(({ delta }) => Math.abs(delta))).toEqual([1, 1, 1]);

      const check = (id: string, ...more: string[]) =>
        lab().cli.run(['eval', 'check', id, '--baseline', main, '--fail-on-regression', ...more]);
      expect((await check(noise)).code).toBe(0);
      // So large an alpha takes any fall for one; the server's gates know no other than 0.05, so that the command judges.
      const bold = await check(worse, '--alpha', '0.5');
      expect([bold.code, bold.out]).toEqual([
        11,
        expect.stringMatching(/^no regression \(alpha 0.5\) +worse +does not hold$/m),
      ]);
      const timid = await check(worse, '--alpha', '1e-12');
      expect(both).not.toBe(worse);
      expect(timid.out).toMatch(/^no regression \(alpha 1e-12\) +no difference +holds$/m);
    });

    it('is shown, and is in lists', async () => {
      const { runs } = await lab().cli.json<{ runs: EvalRunResource[] }>([
        'eval',
        'list',
        '--metadata',
        'commit=3f2c1ab',
      ]);
      expect(runs.map(({ name }) => name)).toEqual(['one | two']);
      const table = await lab().cli.run(['eval', 'list', '--dataset', 'luck', '--passed', 'false', '--limit', '1']);
      expect(table.out).toMatch(
        /^run +name +status +samples +score +± +gates +cost +created\n01\w+ +luck, fake:chance:0.5, \S+Z +completed +60\/60/,
      );
      expect(table.err).toMatch(/^there are more runs: --limit up to 1000, or --cursor \S+$/m);
      expect(await lab().cli.run(['eval', 'list', '--status', 'done'])).toMatchObject({
        code: 4,
        err: expect.stringContaining('status'),
      });

      const shown = await lab().cli.run(['eval', 'show', runs[0]!.id], { terminal: 80 });
      expect(shown.out).toContain('\u001b[1mone | two\u001b[22m');
      expect(shown.out).toMatch(/pass@2, pass\^2 of Contains +75%, 75%/);
      const document = await lab().cli.json<object>([
        'eval',
        'show',
        runs[0]!.id,
        '--failed-as',
        'zero',
        '--cluster-by',
        'category',
      ]);
      expect(document).toMatchObject({ verdict: 'passed', statistics: { failed_as: 'zero', cluster_by: 'category' } });
      expect(document).not.toHaveProperty('items');
    });
  });

  describe('docs/cli.md', () => {
    it('has examples of evaluations that run as they stand', async () => {
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'OpenAI', provider: 'openai', api_key: 'sk-test-fake-key', default_model: 'gpt-5.1' },
        base_url: `${lab().provider.url}/v1`,
      });
      const rubric = join(lab().folder, 'tone.txt');
      writeFileSync(rubric, 'Is it polite?\n');
      const [, block] = /^```sh eval\n(.*?)^```/ms.exec(readFileSync('docs/cli.md', 'utf8'))!;
      const runs: string[] = [];
      for (const line of block!.trim().split('\n')) {
        const words = line
          .replace('judge_model=gpt-4o', 'judge_model=fake:judge:0.8')
          .replace('@tone.txt', `@${rubric}`)
          .replace('json=run.json', `json=${join(lab().folder, 'run.json')}`)
          .replace('metadata.split=test', 'metadata.category=even')
          .replace('$RUN', runs.at(-1) ?? '')
          .replace('$BASELINE', runs.at(-2) ?? '');
        const { code, out, err } = await lab().cli.run(wordsOf(words));
        // A run without failures has nothing that is to be tried again.
        const isRefused = line.includes('eval retry');
        expect([line, code, err.includes('spandrel:'), out === '']).toEqual([
          ...[line, isRefused ? 4 : 0, isRefused, isRefused],
        ]);
        const { id, config } = await lab().lastRun();
        expect(config.connection_id).toBe(body.id);
        if (line.includes('eval run')) runs.push(id);
      }
      expect(runs).toHaveLength(5);
    });

    it('over a part of its dataset goes on with its failed samples, and gives its answers to the next', async () => {
      await lab().makeDataset('parts', 12, (n) => `question ${n}`);
      const part = ['--filter', 'metadata.category=even', '--sample', '4', '--seed', '7'];
      const model = 'fake:error-400+times:1';
      const id = (await lab().run('parts', model, ...part, '--detach')).out.trim();
      const filter = { metadata: { category: 'even' }, sample: 4, seed: 7 };
      expect(await lab().evals.ended(id)).toMatchObject({ total: 4, failed_count: 4, filter });
      const again = await lab().cli.run(['eval', 'retry', id, '--threshold', 'mean >= 1']);
      expect(again.code).toBe(0);
      expect(await lab().evals.read(id)).toMatchObject({
        failed_count: 0,
        retried_samples: 4,
        avg_score: 1,
        passed: true,
      });
      const nothing = await lab().cli.run(['eval', 'retry', id, '--what', 'pending']);
      expect(nothing).toMatchObject({ code: 4, err: expect.stringContaining('nothing_to_retry') });
      lab().provider.requests.length = 0;
      expect((await lab().run('parts', model, ...part, '--cache')).code).toBe(0);
      expect(lab().provider.requests).toHaveLength(0);
      expect(await lab().lastRun()).toMatchObject({ reused_samples: 4, total_cost: 0, cache: 'reuse', cache_days: 30 });
      const unknown = await lab().run('parts', model, '--filter', 'category=even');
      expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('is not metadata.KEY, source or ids') });
    });
  });
}
