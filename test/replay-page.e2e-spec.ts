/** docs/replay.md: its examples run as they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConnectionResource, EvalRunResource, ReplayResource, TryEvent } from '@spandrel/contract';
import { CommandLine, type Finished } from './cli/command-line.ts';
import { wordsOf } from './cli/words-of.ts';
import { said, startScriptedProvider, type ScriptedProvider } from './evals/scripted-provider.ts';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { tempDir } from './support/spandrel.ts';

const page = readFileSync(resolve('docs/replay.md'), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]!.split('\n## ')[0]!;
const examples = [...section('Try again').matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code!);
/** The block of the section on replays by its language and name. */
const replays = (name: string): string =>
  new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\``, 'ms').exec(section('Replay'))![1]!;
const CALLS = 20;

describeOnBothDatabases('the page of replays', ({ newDatabase }) => {
  let server: ServerApp;
  let provider: FakeProvider;
  let connection: string;

  beforeAll(async () => {
    server = await startServerApp(await newDatabase('replay_page'));
    provider = await startFakeProvider();
    const body = { name: 'ours', provider: 'openai', api_key: 'sk-fake', base_url: `${provider.url}/v1` };
    connection = (await server.api.post<ConnectionResource>('/api/provider-connections', body)).body.id;
    const started = new Date().toISOString();
    const messages = ['system', 'user'].map((role) => ({ role, content: `The ${role} speaks.` }));
    await server.api.post('/api/ingest', {
      traces: [{ id: 'recorded', started_at: started }],
      spans: [
        {
          ...{
            id: 'call',
            trace_id: 'recorded',
            name: 'call',
            started_at: started,
            ended_at: started,
            input: messages,
          },
          kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' },
        },
      ],
    });
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  it('tries calls as the page says', async () => {
    expect(examples).toHaveLength(3);
    const type = async (command: string): Promise<TryEvent> => {
      const env = { ...process.env, SPANDREL_API_URL: server.url, SPAN: 'call', CONNECTION: connection };
      const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
      return JSON.parse(stdout.trim().split('\n').at(-1)!.replace('data: ', '')) as TryEvent;
    };
    const sent = () => JSON.parse(provider.requests.at(-1)!.body.toString()) as object;
    const [recorded, changed, empty] = examples as [string, string, string];
    expect(await type(recorded)).toMatchObject({
      type: 'done',
      runs: [{ output: { text: 'You said: The user speaks.' } }],
    });
    expect(sent()).toMatchObject({ model: 'gpt-4.1-mini' });
    expect(await type(changed)).toMatchObject({ type: 'done', runs: [{ run: 0 }, { run: 1 }, { run: 2 }] });
    expect(sent()).toMatchObject({
      ...{ temperature: 0, max_completion_tokens: 200 },
      messages: [{ content: 'The system speaks.\n\nAnswer in one sentence.' }, {}],
    });
    expect(await type(empty)).toMatchObject({ type: 'done' });
    expect(sent()).toMatchObject({ tools: [{ type: 'function', function: { name: 'get_tide' } }] });
  });

  describe('replays calls as the page says', () => {
    let scripted: ScriptedProvider;
    let cli: CommandLine;
    /** Whether the judge finds what is new worse from now on. */
    let isWorse = false;

    beforeAll(async () => {
      cli = new CommandLine({ SPANDREL_API_URL: server.url });
      scripted = await startScriptedProvider(({ body }) => {
        const { content } = (body['messages'] as { content: string }[]).at(-1)!;
        if (!content.startsWith('BEGIN INPUT')) return said(`new ${content}`);
        const isNewFirst = /^BEGIN FIRST ANSWER \w+\nnew/m.test(content);
        const [, number] = /question (\d+)/.exec(content)!;
        // Four new answers are preferred, and four recorded ones.
        const isLost = isWorse || Number(number) % 5 === 0;
        const isTie = !isWorse && Number(number) % 5 > 1;
        const preference = isTie ? 'neither' : isLost === isNewFirst ? 'second' : 'first';
        return said(JSON.stringify({ preference, reason: 'I say so' }));
      });
      const body = { name: 'OpenAI', provider: 'openai', api_key: 'sk-fake-key', base_url: `${scripted.url}/v1` };
      expect((await server.api.post('/api/provider-connections', body)).status).toBe(201);
      const spans = Array.from({ length: CALLS }, (_, index) => ({
        ...{ id: `prod-${index}`, trace_id: 'prod', name: 'answer', output: { text: `old ${index}` } },
        input: [{ role: 'user', content: `question ${index}` }],
        started_at: new Date(Date.now() - 60_000).toISOString(),
        ended_at: new Date(Date.now() - 50_000 - index).toISOString(),
        kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 900, output_tokens: 90 + index },
      }));
      const traces = [{ id: 'prod', tags: ['prod'] }];
      expect((await server.api.post('/api/ingest', { traces, spans })).body).toMatchObject({ rejected: [] });
    });
    afterAll(() => scripted?.close());

    /** Runs the commands of a block, one after another. */
    const run = async (name: string, values: Record<string, string> = {}): Promise<Finished[]> => {
      const ended: Finished[] = [];
      for (const line of replays(name).trim().split('\n')) {
        ended.push(await cli.run(wordsOf(line.replace(/\$([A-Z]+)/g, (_, key) => values[key]!))));
      }
      return ended;
    };

    it('from the command line, with the verdict that it shows', async () => {
      const [{ code, out, err }] = (await run('sh replay')) as [Finished];
      expect([code, err]).toEqual([0, expect.stringContaining(`${CALLS} of ${CALLS} calls replayed`)]);
      const shown = replays('text').trim().replaceAll(/[().]/g, '\\$&');
      expect(out).toMatch(new RegExp(`^${shown.replace('…', '.*').replaceAll(/\d+(\\\.\d+)?/g, '[\\d.]+')}$`, 'm'));
    });

    it('in CI, where it ends with the code of a regression', async () => {
      const folder = tempDir();
      const [prompt, report] = ['prompt.txt', 'replay.xml'].map((name) => join(folder, name)) as [string, string];
      writeFileSync(prompt, 'Answer in one word.');
      isWorse = true;
      const command = replays('sh gate')
        .replaceAll('\\\n', '')
        .replace('prompt.txt', prompt)
        .replace('replay.xml', report);
      expect((await cli.run(wordsOf(command))).code).toBe(11);
      expect(readFileSync(report, 'utf8')).toContain('<failure');
      expect(scripted.calls.some(({ messages }) => JSON.stringify(messages).includes('Answer in one word.'))).toBe(
        true,
      );
    });

    it('by a request, whose run is judged afterwards', async () => {
      isWorse = false;
      const { body } = await server.api.get<{ connections: ConnectionResource[] }>('/api/provider-connections');
      const { id } = body.connections.find(({ name }) => name === 'OpenAI')!;
      const env = { ...process.env, SPANDREL_API_URL: server.url, CONNECTION: id };
      const { stdout } = await promisify(execFile)('bash', ['-c', replays('sh request')], { env });
      const replay = JSON.parse(stdout) as ReplayResource;
      expect(replay).toMatchObject({ status: 'ready', name: 'nightly', replayed: CALLS, left_out: [] });
      const [checked, compared] = await run('sh verdict', { RUN: replay.run_id, BASELINE: replay.baseline_run_id });
      expect([checked!.code, checked!.out]).toEqual([0, expect.stringContaining('nightly')]);
      expect([compared!.code, compared!.out]).toEqual([0, expect.stringContaining(`${CALLS} datapoints compared`)]);
      const { body: over } = await server.api.get<EvalRunResource>(`/api/eval/${replay.run_id}`);
      expect(over).toMatchObject({ passed: true, failed_count: 0, avg_score: 0.5 });
    });
  });
});
