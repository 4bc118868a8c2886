/** `spandrel eval` on runs of the server: what each exit code stands for, and what reports say. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import { validateXML } from 'xmllint-wasm';
import { EvalsLab } from '../evals/evals-lab.ts';
import { spawnSpandrel, tempDir, until } from '../support/spandrel.ts';
import { CommandLine, type Finished } from './command-line.ts';
import { wordsOf } from './words-of.ts';

const folder = tempDir();
let lab: EvalsLab;
let cli: CommandLine;
beforeAll(async () => {
  lab = await EvalsLab.open({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
  cli = new CommandLine({ SPANDREL_API_URL: lab.server.url });
  await makeDataset('capitals', 4, (n) => (n === 3 ? 'Nairobi' : `question ${n}`));
  await makeDataset('luck', 60, (n) => `question ${n}`);
});
afterAll(() => lab?.close());
beforeEach(() => void lab.provider.requests.splice(0));

/** The fake model says the question again: it is right where that is expected. */
async function makeDataset(name: string, size: number, expected: (n: number) => string): Promise<void> {
  const { body } = await lab.api.post<{ id: string }>('/api/datasets', { name });
  const lines = Array.from({ length: size }, (_, n) =>
    JSON.stringify({ input: `question ${n}`, expected_output: expected(n) }),
  );
  await lab.api.send('POST', `/api/datasets/${body.id}/import`, lines.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
}

const run = (dataset: string, model: string, ...more: string[]): Promise<Finished> =>
  cli.run(['eval', 'run', '--dataset', dataset, '--connection', 'fake', '--model', model, ...scoring(more), ...more]);
const scoring = (more: string[]): string[] => (more.includes('--scorer') ? [] : ['--scoring', 'Contains']);

/** The run that was started last. */
const lastRun = async (): Promise<EvalRunResource> => {
  const { body } = await lab.api.get<{ runs: EvalRunResource[] }>('/api/eval?limit=1');
  return body.runs[0]!;
};

/** What differs from one run to another, as it stands in the fixture. */
const withoutLuck = (text: string): string =>
  text
    .replaceAll(lab.server.url, 'http://127.0.0.1:3000')
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, 'ID')
    .replace(/\d+(\.\d+)? m?s\b/g, '0 ms');

describe('spandrel eval run', () => {
  it('ends with 0 when all gates hold, and writes reports of it', async () => {
    const files = ['junit=junit.xml', 'json=deep/report.json', 'markdown=report.markdown'].map((each) => {
      const [format, file] = each.split('=');
      return [format!, join(folder, file!)] as const;
    });
    const [junit, json, markdown] = files.map(([, file]) => file) as [string, string, string];
    const summary = join(folder, 'summary.markdown');
    const { code, out, err } = await cli.run(
      [
        ...['eval', 'run', '--dataset', 'capitals', '--connection', 'fake', '--scoring', 'Contains', '--repeats', '2'],
        ...['--threshold', 'pass_rate >= 70%', '--threshold', 'failed_samples <= 0', '--name', 'one | two'],
        ...[
          '--metadata',
          'branch=main',
          '--metadata',
          'commit=3f2c1ab',
          '--system-prompt',
          'Be brief.',
          '--temperature',
          '0',
        ],
        ...files.flatMap(([format, file]) => ['-o', `${format}=${file}`]),
      ],
      { env: { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' } },
    );
    expect([code, err]).toEqual([0, expect.stringContaining('one | two: 100% (8 of 8 samples)\n')]);
    expect(out).toMatch(/^Passed {2}http:\S+\/evaluations\/01\w+$/m);
    expect(out).not.toContain('::error');

    const started = await lastRun();
    expect(started).toMatchObject({
      ...{ name: 'one | two', repeats: 2, metadata: { branch: 'main', commit: '3f2c1ab' }, passed: true },
      config: { model: 'gpt-5.1', system_prompt: 'Be brief.', temperature: 0 },
      gates: [
        { metric: 'pass_rate', op: '>=', value: 0.7, actual: 0.75, passed: true },
        { metric: 'failed_samples', passed: true },
      ],
    });
    const { errors } = await validateXML({
      xml: readFileSync(junit, 'utf8'),
      schema: readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8'),
    });
    expect(errors).toEqual([]);
    expect(readFileSync(junit, 'utf8')).toMatch(
      /<failure message="0 of 2 samples passed, mean score 0" type="failed">Input: question 3\nExpected: Nairobi\nOutput: You said: question 3</,
    );
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      ...{ verdict: 'passed', exit_code: 0, run: { id: started.id }, statistics: { samples: 8 } },
      items: [{ score: 1, samples: [{ repeat: 0 }, { repeat: 1 }] }, {}, {}, { score: 0 }],
    });
    const page = readFileSync(markdown, 'utf8');
    expect(withoutLuck(page)).toBe(readFileSync(resolve('test/cli/fixtures/eval-run.markdown'), 'utf8'));
    expect(readFileSync(summary, 'utf8')).toBe(`${page}\n`);
  });

  it('ends with 10 when a gate does not hold, which GitHub is told', async () => {
    const { code, out } = await cli.run(
      [
        'eval',
        'run',
        '--dataset',
        'capitals',
        '--connection',
        'fake',
        '--scoring',
        'Contains',
        '--threshold',
        'mean > 0.75',
      ],
      { env: { GITHUB_ACTIONS: 'true' } },
    );
    expect(code).toBe(10);
    expect(out).toMatch(/^mean > 0.75 +0.75 +does not hold$/m);
    expect(out).toMatch(/^fails +question 3 +Nairobi +You said: question 3 +score 0 is below 1$/m);
    expect(out).toMatch(/^::error title=eval capitals%2C gpt-5.1::mean > 0.75 does not hold: found 0.75$/m);
  });

  it('tells a regression from noise: 11 and 0, and 10 when a gate does not hold either', async () => {
    const baseline = ['--baseline', 'latest:branch=main', '--fail-on-regression'];
    // Before there is a run of main nothing can be compared; that is said and holds nobody up.
    const first = await run('luck', 'fake:chance:0.8', ...baseline, '--metadata', 'branch=main');
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringContaining('has no completed run for the baseline latest:branch=main'),
    ]);
    const main = await lastRun();
    expect(main.gates).toEqual([]);

    const noise = await run('luck', 'fake:chance:0.8', ...baseline);
    expect(noise.out).toMatch(
      /^Compared with luck, fake:chance:0.8 \(01\w+\): no difference shown; a change of 0\.\d+ or more would have been\.$/m,
    );
    expect([noise.code, await lastRun()]).toMatchObject([
      0,
      { passed: true, gates: [{ metric: 'regression', baseline_run_id: main.id, actual: 'no_difference' }] },
    ]);

    const worse = await run('luck', 'fake:chance:0.5', ...baseline);
    expect(worse.out).toMatch(/^ {2}-0\.\d+ \(95% interval -0\.\d+ to -0\.\d+, p [<0]/m);
    expect([worse.code, await lastRun()]).toMatchObject([11, { passed: false, gates: [{ actual: 'worse' }] }]);

    const both = await run('luck', 'fake:chance:0.5', ...baseline, '--threshold', 'mean >= 0.9');
    expect(both.code).toBe(10);
  });

  it('ends with 12 at its cost cap, and when somebody cancels the run', async () => {
    // One call costs (11 × 1.25 + 7 × 10) / 10⁶ dollars.
    const capped = await run('capitals', 'gpt-5.1', '--max-cost', '0.0001', '--threshold', 'mean >= 0');
    expect([capped.code, capped.out]).toEqual([12, expect.stringContaining('it reached its cost cap; 1 of 4 samples')]);
    expect(capped.out).toMatch(/^mean >= 0 +– +not judged$/m);

    lab.provider.requests.splice(0);
    const watched = cli.start([
      'eval',
      'run',
      '--dataset',
      'capitals',
      '--connection',
      'fake',
      '--model',
      'fake:hang',
      '--scoring',
      'None',
    ]);
    await until(() => lab.provider.requests.length > 0);
    const { id } = await lastRun();
    expect(await cli.run(['eval', 'cancel', id])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Cancelled capitals, fake:hang/),
    });
    expect(await watched.finished).toMatchObject({
      code: 12,
      out: expect.stringContaining('it was cancelled; 0 of 4'),
    });
    expect(await cli.run(['eval', 'cancel', id])).toMatchObject({
      code: 4,
      err: expect.stringContaining('eval_run_not_running (400)'),
    });
  });

  it('ends with 130 when it is interrupted, and cancels the run', async () => {
    const interrupted = cli.start([
      'eval',
      'run',
      '--dataset',
      'capitals',
      '--connection',
      'fake',
      '--model',
      'fake:hang',
      '--scoring',
      'None',
    ]);
    await until(() => lab.provider.requests.length > 0);
    interrupted.interrupt();
    const { id } = await lastRun();
    expect(await interrupted.finished).toMatchObject({
      code: 130,
      err: expect.stringContaining(`the run ${id} is cancelled`),
    });
    expect(await lab.read(id)).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 as a program of its own by %s', async (signal) => {
    const child = spawnSpandrel(
      ['eval', 'run', '--dataset', 'capitals', '--connection', 'fake', '--model', 'fake:hang', '--scoring', 'None'],
      { SPANDREL_API_URL: lab.server.url },
      'ignore',
    );
    const ended = new Promise((done) => child.on('exit', (...end) => done(end)));
    await until(() => lab.provider.requests.length > 0);
    child.kill(signal);
    // A terminal sends it to all of its programs, and bin/spandrel.cjs once more.
    child.kill(signal);
    expect(await ended).toEqual([130, null]);
    expect(await lastRun()).toMatchObject({ status: 'cancelled', config: { model: 'fake:hang' } });
  });

  it('ends with 1 when the run comes to nothing', async () => {
    const { code, out } = await run('capitals', 'fake:error-401');
    expect([code, out]).toEqual([1, expect.stringMatching(/all 4 items failed: .*\nThe run failed {2}http/)]);
  });

  it('ends with 2 when it is called wrongly, before anything is sent', async () => {
    const least = ['eval', 'run', '--url', 'http://127.0.0.1:9', '--dataset', 'd', '--connection', 'c'];
    for (const [more, fault] of [
      [[], 'give either --scoring, or --scorer'],
      [['--scoring', 'None', '--threshold', 'meen > 1'], '"meen" is no metric (mean?)'],
      [['--scoring', 'None', '--fail-on-regression'], '--fail-on-regression: needs --baseline'],
      [['--scoring', 'None', '-o', 'html=a'], '"html=a" is not FORMAT=FILE'],
      [['--scoring', 'None', '-o', `json=${folder}`], 'is a folder'],
      [['--scoring', 'None', '--detach', '-o', 'json=a'], 'there is nothing to report with --detach'],
      [['--scorer', 'name=a'], '--scorer: scoring=NAME is missing'],
      [['--nonsense'], "unknown option '--nonsense'"],
    ] as const) {
      expect(await cli.run([...least, ...more])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(fault),
      });
    }
  });

  it('ends with 3 when no server answers, and with 4 when it refuses', async () => {
    const away = ['--url', 'http://127.0.0.1:9'];
    for (const words of [
      ['run', '--dataset', 'd', '--connection', 'c', '--scoring', 'None'],
      ['cancel', 'r'],
    ]) {
      expect(await cli.run(['eval', ...words, ...away])).toMatchObject({ code: 3, out: '' });
    }
    for (const [args, code] of [
      [['--dataset', 'nowhere', '--connection', 'fake', '--scoring', 'None'], 'dataset_not_found (404)'],
      [['--dataset', 'capitals', '--connection', 'nobody', '--scoring', 'None'], 'connection_not_found (404)'],
      [['--dataset', 'capitals', '--connection', 'fake', '--scoring', 'Guess'], 'validation_failed (400)'],
    ] as const) {
      expect(await cli.run(['eval', 'run', ...args])).toMatchObject({
        code: 4,
        out: '',
        err: expect.stringContaining(code),
      });
    }
  });

  it('takes several scorers, with judges that are connections by name', async () => {
    const { code, out } = await run(
      'capitals',
      'gpt-5.1',
      ...['--scorer', 'scoring=Contains', '--threshold', 'tone.mean >= 0.8'],
      ...[
        '--scorer',
        'name=tone,scoring=LlmJudge,weight=0,judge_connection=fake,judge_model=fake:judge:0.8,rubric="polite, or not"',
      ],
    );
    expect([code, out]).toEqual([0, expect.stringMatching(/^Mean score of tone +0.8 +0.8 to 0.8$/m)]);
    expect((await lastRun()).scorers).toMatchObject([
      { name: 'Contains', weight: 1 },
      { name: 'tone', weight: 0, judge: { connection_id: lab.connectionId, rubric: 'polite, or not' } },
    ]);
  });
});

describe('a run that was started before', () => {
  it('is waited for and judged by spandrel eval check', async () => {
    const detached = await run('capitals', 'gpt-5.1', '--detach', '--threshold', 'mean >= 0.5');
    expect([detached.code, detached.out]).toEqual([0, expect.stringMatching(/^01\w{24}\n$/)]);
    const id = detached.out.trim();
    expect((await cli.run(['eval', 'check', id])).code).toBe(0);
    const stricter = await cli.run(['eval', 'check', id, '--threshold', 'mean >= 0.9', '--json']);
    expect([stricter.code, JSON.parse(stricter.out)]).toMatchObject([
      10,
      { verdict: 'gate', exit_code: 10, gates: [{ gate: 'mean >= 0.9', found: '0.75', passed: false }], run: { id } },
    ]);
    expect(await lab.read(id)).toMatchObject({ passed: false, gates: [{ value: 0.9 }] });
    expect(await cli.run(['eval', 'check', 'nothing'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('eval_run_not_found'),
    });
  });

  it('is compared with another, by an alpha of its own too', async () => {
    const { runs } = await cli.json<{ runs: EvalRunResource[] }>([
      'eval',
      'list',
      '--dataset',
      'luck',
      '--limit',
      '10',
    ]);
    const [both, worse, noise, main] = runs.map(({ id }) => id) as [string, string, string, string];
    const words = await cli.run(['eval', 'compare', worse, main]);
    expect(words.code).toBe(0);
    expect(words.out).toMatch(/^Score: worse by 0\.\d+\.$/m);
    expect(words.out).toMatch(/^60 datapoints compared\.$/m);
    expect(words.out).toMatch(/^10 datapoints that changed most:\nchange +score +input/m);
    expect(words.out).toMatch(/^ *-1 +1 → 0 +question \d+ +question \d+ +You said: question \d+ +I do not know$/m);
    const { comparison, changed } = await cli.json<{ comparison: object; changed: { delta: number }[] }>([
      ...['eval', 'compare', noise, main, '--limit', '3'],
    ]);
    expect(comparison).toMatchObject({ pairs: 60, score: { verdict: 'no_difference' } });
    expect(changed.map(({ delta }) => Math.abs(delta))).toEqual([1, 1, 1]);

    const check = (...more: string[]) =>
      cli.run(['eval', 'check', noise, '--baseline', main, '--fail-on-regression', ...more]);
    expect((await check()).code).toBe(0);
    // So large an alpha takes any fall for one; the server's gates know no other than 0.05, so that the command judges.
    const bold = await cli.run(['eval', 'check', worse, '--baseline', main, '--fail-on-regression', '--alpha', '0.5']);
    expect([bold.code, bold.out]).toEqual([
      11,
      expect.stringMatching(/^no regression \(alpha 0.5\) +worse +does not hold$/m),
    ]);
    const timid = await cli.run([
      'eval',
      'check',
      worse,
      '--baseline',
      main,
      '--fail-on-regression',
      '--alpha',
      '1e-12',
    ]);
    expect(both).not.toBe(worse);
    expect(timid.out).toMatch(/^no regression \(alpha 1e-12\) +no difference +holds$/m);
  });

  it('is shown, and is in lists', async () => {
    const { runs } = await cli.json<{ runs: EvalRunResource[] }>(['eval', 'list', '--metadata', 'commit=3f2c1ab']);
    expect(runs.map(({ name }) => name)).toEqual(['one | two']);
    const table = await cli.run(['eval', 'list', '--dataset', 'luck', '--passed', 'false', '--limit', '1']);
    expect(table.out).toMatch(
      /^run +name +status +samples +score +± +gates +cost +created\n01\w+ +luck, fake:chance:0.5 +completed +60\/60/,
    );
    expect(table.err).toMatch(/^there are more runs: --limit up to 1000, or --cursor \S+$/m);
    expect(await cli.run(['eval', 'list', '--status', 'done'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('status'),
    });

    const shown = await cli.run(['eval', 'show', runs[0]!.id], { terminal: 80 });
    expect(shown.out).toContain('\u001b[1mone | two\u001b[22m');
    expect(shown.out).toMatch(/pass@2, pass\^2 +0.75, 0.75/);
    const document = await cli.json<object>([
      'eval',
      'show',
      runs[0]!.id,
      '--failed-as',
      'zero',
      '--cluster-by',
      'topic',
    ]);
    expect(document).toMatchObject({ verdict: 'passed', statistics: { failed_as: 'zero', cluster_by: 'topic' } });
    expect(document).not.toHaveProperty('items');
  });
});

describe('docs/cli.md', () => {
  it('has examples of evaluations that run as they stand', async () => {
    const { body } = await lab.api.post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'OpenAI', provider: 'openai', api_key: 'sk-test-fake-key', default_model: 'gpt-5.1' },
      base_url: `${lab.provider.url}/v1`,
    });
    const rubric = join(folder, 'tone.txt');
    writeFileSync(rubric, 'Is it polite?\n');
    const [, block] = /^```sh eval\n(.*?)^```/ms.exec(readFileSync('docs/cli.md', 'utf8'))!;
    const runs: string[] = [];
    for (const line of block!.trim().split('\n')) {
      const words = line
        .replace('judge_model=gpt-4o', 'judge_model=fake:judge:0.8')
        .replace('@tone.txt', `@${rubric}`)
        .replace('json=run.json', `json=${join(folder, 'run.json')}`)
        .replace('$RUN', runs.at(-1) ?? '')
        .replace('$BASELINE', runs.at(-2) ?? '');
      const { code, out, err } = await cli.run(wordsOf(words));
      expect([line, code, err.includes('spandrel:'), out === '']).toEqual([line, 0, false, false]);
      const { id, config } = await lastRun();
      expect(config.connection_id).toBe(body.id);
      if (line.includes('eval run')) runs.push(id);
    }
    expect(runs).toHaveLength(4);
  });
});
