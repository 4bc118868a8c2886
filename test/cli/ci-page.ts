import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import { validateXML } from 'xmllint-wasm';
import { parse } from 'yaml';
import { freePort } from '../support/ports.ts';
import { COMPILE_CACHE, tempDir } from '../support/spandrel.ts';
import { said, startScriptedProvider } from '../evals/scripted-provider.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

interface Step {
  name?: string;
  run?: string;
}

interface Workflow {
  jobs: Record<string, { env: Record<string, string>; steps: Step[] }>;
}

interface Ended {
  code: number | null;
  output: string;
}

/** The code of a block of a page, by the word behind its language. */
function blockOf(page: string, name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\``, 'ms').exec(page);
  if (!found) throw new Error(`the page has no block ${name}`);
  return found[1]!;
}

/** Prompts with which the fake model knows nine of ten answers, and four. */
const GOOD = 'fake:chance:0.9';
const WORSE = 'fake:chance:0.4';
const MODEL = 'gpt-5.1';
const CONTINENTS = ['africa', 'asia', 'europe'];

/** The examples of docs/ci.md and the README, each step of them run in a repository of its own. */
export function ciPage(lab: () => EvalCommandLab): void {
  const page = readFileSync('docs/ci.md', 'utf8');
  const repository = join(tempDir(), 'repository');
  const bin = tempDir();
  let connection: string;
  const started: number[] = [];

  beforeAll(async () => {
    mkdirSync(join(repository, 'evals'), { recursive: true });
    // Brings the command: it is there already.
    program(join(bin, 'npm'), 'exit 0');
    program(join(bin, 'spandrel'), `exec "${process.execPath}" "${resolve('dist/apps/cli/src/main.js')}" "$@"`);
    program(join(bin, 'npx'), 'shift; exec spandrel "$@"');
    const lines = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify({
        ...{ input: `question ${n}`, expected_output: `question ${n}` },
        metadata: { continent: CONTINENTS[n % CONTINENTS.length] },
      }),
    );
    writeFileSync(join(repository, 'evals/capitals.jsonl'), `${lines.join('\n')}\n`);
    writeFileSync(join(repository, 'evals/sums.eval.ts'), blockOf(page, 'evals/sums\\.eval\\.ts'));
    prompt(GOOD);
    const git = (...args: string[]): void => {
      const { status, stderr } = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: repository,
        encoding: 'utf8',
      });
      expect([args, status, stderr]).toEqual([args, 0, expect.any(String)]);
    };
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'the state of main');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');

    const { body } = await lab().api.post<{ id: string }>('/api/datasets', { name: 'ci' });
    await lab().api.send('POST', `/api/datasets/${body.id}/import`, lines.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    const made = await lab().api.post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'provider', provider: 'openai', api_key: 'sk-test-fake-key', base_url: `${lab().provider.url}/v1` },
    });
    connection = made.body.id;
  });
  afterAll(() => {
    for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });

  const prompt = (text: string): void => writeFileSync(join(repository, 'prompt.txt'), `${text}\n`);
  const program = (file: string, script: string): void => {
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };

  /** Runs a step as a runner does. The page's dataset and connection are those of this test. */
  function step(script: string, env: Record<string, string>, by = connection): Promise<Ended> {
    const here = script
      .replaceAll('--dataset capitals --connection OpenAI', `--dataset ci --connection ${by}`)
      .replaceAll('gpt-4o-mini', 'gpt-5.1');
    return bash(here, { SPANDREL_API_URL: lab().url, ...env });
  }

  function bash(script: string, env: Record<string, string>): Promise<Ended> {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: repository,
      env: { PATH: `${bin}:${process.env['PATH']}`, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    return new Promise((done) => child.on('exit', (code) => setImmediate(() => done({ code, output }))));
  }

  const lastRun = (): Promise<EvalRunResource> => lab().lastRun();
  const validated = async (file: string): Promise<unknown[]> => {
    const schema = readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8');
    return (await validateXML({ xml: readFileSync(join(repository, file), 'utf8'), schema })).errors as unknown[];
  };

  describe('docs/ci.md', () => {
    it('gates a pull request on GitHub by the last run of main on a server', async () => {
      const { jobs } = parse(blockOf(page, 'github-server')) as Workflow;
      const [install, gate] = jobs['evals']!.steps.flatMap(({ run }) => run ?? []) as [string, string];
      const event = async (env: Record<string, string>): Promise<Ended> => {
        expect((await step(install, {})).code).toBe(0);
        return step(gate, {
          GITHUB_ACTIONS: 'true',
          GITHUB_STEP_SUMMARY: join(repository, 'summary.txt'),
          MODEL,
          ...env,
        });
      };
      const main = { GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main' };
      const first = await event({ ...main, GITHUB_SHA: '3f2c1ab' });
      expect(first).toMatchObject({
        code: 0,
        output: expect.stringContaining('::warning::the dataset "ci" has no completed run'),
      });
      expect(await lastRun()).toMatchObject({
        metadata: { commit: '3f2c1ab', branch: 'main', ref: 'refs/heads/main' },
      });
      const pull = { GITHUB_REF: 'refs/pull/7/merge', GITHUB_REF_NAME: '7/merge', GITHUB_HEAD_REF: 'prompt-7' };
      expect((await event(pull)).code).toBe(0);
      prompt(WORSE);
      const worse = await event(pull);
      expect(worse).toMatchObject({
        code: 11,
        output: expect.stringMatching(/^::error title=.*::no regression does not hold: found worse$/m),
      });
      expect((await lastRun()).metadata).toMatchObject({ branch: 'prompt-7' });
      expect(readFileSync(join(repository, 'summary.txt'), 'utf8').match(/^## /gm)).toHaveLength(3);
      expect(await validated('evals.xml')).toEqual([]);
    });

    it('catches a continent that became worse where the whole became better', async () => {
      // The prompt of main knows Africa; the new one knows the others, and two of ten in Africa.
      const provider = await startScriptedProvider(({ body }) => {
        const [system, question] = body['messages'] as [{ content: string }, { content: string }];
        const n = Number(question.content.replace('question ', ''));
        const isRight = system.content === 'old' ? n % 3 === 0 : n % 3 !== 0 || n >= 24;
        return said(isRight ? question.content : 'I do not know');
      });
      try {
        const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
          ...{ name: 'continents', provider: 'openai', api_key: 'sk-test', base_url: `${provider.url}/v1` },
        });
        const [{ run }] = parse(blockOf(page, 'github-continents')) as [{ run: string }];
        const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(repository, 'continents.txt'), MODEL };
        prompt('old');
        // The floor of each continent does not hold: the prompt of main knows one alone.
        const main = await step(run, { ...env, GITHUB_REF: 'refs/heads/main' }, body.id);
        expect([main.code, main.output]).toEqual([10, expect.stringContaining('pass_rate >= 0.1 by continent')]);
        prompt('new');
        const pull = { ...env, GITHUB_REF: 'refs/pull/8/merge' };
        const { code, output } = await step(run, pull, body.id);
        expect([code, output]).toEqual([11, expect.stringContaining('corrected for 3 groups tested')]);
        for (const line of blockOf(page, 'continents').trim().split('\n')) {
          const words = line.split(/ {2,}/).map((cell) => cell.replace(/[()]/g, '\\$&'));
          expect(output).toMatch(new RegExp(`^${words.join(' +')}$`, 'm'));
        }
        expect(readFileSync(join(repository, 'continents.txt'), 'utf8')).toMatch(/^\| `africa` +\| 10 +\| 0\.2 +\|/m);
        expect(readFileSync(join(repository, 'evals.xml'), 'utf8')).toContain('name="groups.continent=africa.mean"');
        expect(await validated('evals.xml')).toEqual([]);
      } finally {
        await provider.close();
      }
    });

    it('gates a pull request on GitHub with a server in the job', async () => {
      const { jobs } = parse(blockOf(page, 'github-job')) as Workflow;
      const steps = jobs['evals']!.steps.flatMap(({ run }) => run ?? []);
      expect(steps).toHaveLength(4);
      const [port, folder] = [await freePort(), tempDir()];
      const env = {
        ...{ GITHUB_BASE_REF: 'main', RUNNER_TEMP: folder, OPENAI_API_KEY: 'sk-test-fake-key' },
        ...{ SPANDREL_PORT: String(port), SPANDREL_API_URL: `http://127.0.0.1:${port}` },
        SPANDREL_OPENAI_BASE_URL: lab().provider.url,
      };
      prompt(WORSE);
      const codes: (number | null)[] = [];
      for (const [index, script] of steps.entries()) {
        const here = script.replaceAll('http://127.0.0.1:3000', env.SPANDREL_API_URL);
        // The program of the job ends with the job; here with the test.
        const noted = here.replace(/ &$/m, ` & echo $! > "$RUNNER_TEMP/pid"`);
        const { code, output } = await bash(noted, { ...env, MODEL });
        if (index === 1) started.push(Number(readFileSync(join(folder, 'pid'), 'utf8')));
        codes.push(code);
        expect([script, output]).toEqual([script, expect.not.stringContaining('spandrel:')]);
      }
      expect(codes).toEqual([0, 0, 0, 11]);
    });

    it('runs evals of the repository itself', async () => {
      const { code, output } = await step(blockOf(page, 'eval-file'), {});
      expect([code, output]).toEqual([0, expect.stringMatching(/sums\.eval\.ts: sums \(dataset sums, 2 datapoints\)/)]);
      expect(await validated('evals.xml')).toEqual([]);
    });

    it('has jobs for GitLab and Jenkins, and any other', async () => {
      const { evals } = parse(blockOf(page, 'gitlab')) as { evals: { script: string[] } };
      prompt(GOOD);
      const branch = { CI_DEFAULT_BRANCH: 'main', MODEL };
      const gitlab = await step(evals.script.join('\n'), { ...branch, CI_COMMIT_REF_NAME: 'main' });
      expect([gitlab.code, (await lastRun()).metadata]).toEqual([0, { branch: 'main', ref: 'main' }]);
      const [, script] = /sh '''\n(.*?)'''/s.exec(blockOf(page, 'jenkins'))!;
      const jenkins = await step(script!.replaceAll('\\\\', '\\'), { BRANCH_NAME: 'prompt-7' });
      expect([jenkins.code, (await lastRun()).gates]).toMatchObject([0, [{ metric: 'regression', passed: true }]]);
      expect(await validated('evals.xml')).toEqual([]);
      expect((await step(blockOf(page, 'detached'), {})).code).toBe(0);
    });
  });

  it('the guide has five lines to a gate', async () => {
    const [, lines] = /^```sh\n(npx spandrel eval run .*?)^```/ms.exec(readFileSync('docs/guide.md', 'utf8'))!;
    expect(lines!.trim().split('\n')).toHaveLength(5);
    prompt('Answer in one word.');
    const { code, output } = await step(lines!, {});
    expect([code, output]).toEqual([0, expect.stringMatching(/^Passed {2}http/m)]);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
