import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EvalRunSummary } from '@spandrel/contract';
import type { EvalCommandLab } from './eval-command-lab.ts';

/** `spandrel eval run` with files of prompts, and with several models or prompts. */
export function evalPrompts(lab: () => EvalCommandLab): void {
  const write = (name: string, text: string): string => {
    const file = join(lab().folder, name);
    writeFileSync(file, text);
    return file;
  };
  const yaml =
    'messages:\n  - role: system\n    content: "{{metadata.category}}"\n  - role: user\n    content: "Q: {{input}}"\n';

  describe('spandrel eval run with prompts', () => {
    it('sends the messages of a YAML file, and what a text file says', async () => {
      const { code } = await lab().run('capitals', 'gpt-5.1', '--prompt-file', write('terse.yaml', yaml));
      expect(code).toBe(0);
      const messages = [
        { role: 'system', content: '{{metadata.category}}' },
        { role: 'user', content: 'Q: {{input}}' },
      ];
      expect((await lab().lastRun()).config).toMatchObject({ messages, system_prompt: null });
      expect(lab().provider.requests.at(-1)!.body.toString()).toContain('"content":"Q: question');
      await lab().run('capitals', 'gpt-5.1', '--prompt-file', write('kind.txt', 'Be kind.\n'));
      expect((await lab().lastRun()).config).toMatchObject({ system_prompt: 'Be kind.' });
      expect((await lab().lastRun()).config).not.toHaveProperty('messages');
    });

    it('is called wrongly with a file that is none, and refused with what nobody knows', async () => {
      const wrong = await lab().run('capitals', 'gpt-5.1', '--prompt-file', write('odd.yaml', 'prompt: x'));
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--prompt-file: "prompt" of ')]);
      const both = await lab().run('capitals', 'gpt-5.1', '--prompt-file', 'x', '--system-prompt', 'y');
      expect([both.code, both.err]).toEqual([2, expect.stringContaining('either --prompt-file or a system prompt')]);
      const unknown = await lab().run(
        'capitals',
        'gpt-5.1',
        '--prompt-file',
        write('unknown.txt', '{{input}} {{foo}}'),
      );
      expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('unknown variable "foo"')]);
    });

    it('makes a run for each model with each prompt, and a table of them', async () => {
      const [terse, kind] = [write('terse.yaml', yaml), write('kind.txt', 'Be kind.')];
      const json = join(lab().folder, 'matrix.json');
      const several = ['--model', 'fake:chance:0', '--prompt-file', terse, '--prompt-file', kind];
      const options = ['--name', 'night', '--repeats', '2', '--threshold', 'mean >= 0.5', '-o', `json=${json}`];
      const { code, out } = await lab().run('capitals', 'gpt-5.1', ...several, ...options);
      expect(code).toBe(10);
      const groupId = /^Group (\S+)$/m.exec(out)![1]!;
      const { body } = await lab().api.get<{ runs: EvalRunSummary[] }>(`/api/eval?group_id=${groupId}`);
      expect(body.runs.map(({ name }) => name).toSorted()).toEqual([
        ...['night, fake:chance:0, kind', 'night, fake:chance:0, terse'],
        ...['night, gpt-5.1, kind', 'night, gpt-5.1, terse'],
      ]);
      for (const run of body.runs) {
        expect(run).toMatchObject({ status: 'completed', repeats: 2, sample_total: 8 });
        const line = out.split('\n').find((each) => each.startsWith(run.id))!;
        expect(line).toContain(run.name);
        // Three of four capitals hold what is expected; a model without a chance has none.
        const isRight = run.config.model === 'gpt-5.1';
        expect([run.avg_score, line.includes('0.75')]).toEqual([isRight ? 0.75 : 0, isRight]);
        expect(line).toContain(isRight ? 'passed' : 'a gate does not hold');
      }
      const report = JSON.parse(readFileSync(json, 'utf8')) as { evals: { run: EvalRunSummary }[] };
      expect(report.evals.map(({ run }) => run.group_id)).toEqual(Array(4).fill(groupId));
    });

    it('shows the score of the only scorer where that does not count, in the table and in lists', async () => {
      const scorer = ['--scorer', 'name=seen,scoring=Contains,weight=0'];
      const { code, out } = await lab().run('capitals', 'gpt-5.1', '--model', 'fake:chance:0', ...scorer);
      expect(code).toBe(0);
      const [table, list] = [out, (await lab().cli.run(['eval', 'list', '--limit', '2'])).out];
      expect(table).toMatch(/gpt-5\.1 .* 0\.75 +0\.\d+ to \S+ +75% /);
      expect(table).toMatch(/fake:chance:0 .* 0 +0 to 0\.\d+ +0% /);
      for (const { id, scorer_scores: scores, avg_score: score } of (
        await lab().api.get<{ runs: EvalRunSummary[] }>('/api/eval?limit=2')
      ).body.runs) {
        const line = list.split('\n').find((each) => each.startsWith(id))!;
        expect([score, line]).toEqual([null, expect.stringMatching(new RegExp(`4/4 +${scores!['seen']!.mean} +0`))]);
      }
    });

    it('answers one document, and ids where nobody waits', async () => {
      const two = ['--model', 'other'];
      const asked = await lab().run('capitals', 'gpt-5.1', ...two, '--json');
      const document = JSON.parse(asked.out) as { group_id: string; evals: { verdict: string; run: EvalRunSummary }[] };
      expect(document.evals.map(({ verdict, run }) => [verdict, run.config.model, run.group_id])).toEqual([
        ['done', 'gpt-5.1', document.group_id],
        ['done', 'other', document.group_id],
      ]);
      const detached = await lab().run('capitals', 'gpt-5.1', ...two, '--detach');
      expect([detached.code, detached.out.trim().split('\n')]).toEqual([
        0,
        [expect.stringMatching(/^\w+\.1$/), expect.stringMatching(/^\w+\.2$/)],
      ]);
    });
  });
}
