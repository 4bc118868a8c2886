/** docs/replay.md: its examples run as they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ConnectionResource, TryEvent } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';

const page = readFileSync(resolve('docs/replay.md'), 'utf8').split('## Try again')[1]!.split('\n## ')[0]!;
const examples = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code!);

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
});
