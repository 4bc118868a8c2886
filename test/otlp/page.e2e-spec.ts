/** The programs of docs/otlp.md, run as they stand there, each with a call of a model behind it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnDatabase, SQLITE } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { runSender } from './run-sender.ts';

const blocks = [...readFileSync('docs/otlp.md', 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code!);

interface Example {
  /** What the block is known by. */
  has: string;
  /** What the page takes for granted. */
  before: string;
  call: string;
  trace: object;
}

const ASKED = 'When is high tide?';
const START_SDK = "import { NodeSDK } from '@opentelemetry/sdk-node';\nconst sdk = new NodeSDK();\nsdk.start();";
const EXAMPLES: readonly Example[] = [
  {
    has: 'registerTelemetry',
    before: "import { generateText } from 'ai';\nimport { openai } from '@ai-sdk/openai';",
    call: `await generateText({ model: openai.chat('gpt-4.1-mini'), prompt: '${ASKED}' });`,
    trace: { session_id: null },
  },
  {
    has: 'experimental_telemetry',
    before: [
      START_SDK,
      "import { generateText } from 'ai6';",
      "import { openai } from 'ai6-openai';",
      `const [model, prompt] = [openai.chat('gpt-4.1-mini'), '${ASKED}'];`,
    ].join('\n'),
    call: '',
    trace: { session_id: 'chat-1', user_id: 'ada', tags: ['harbour'] },
  },
  {
    has: 'OpenAIInstrumentation',
    before: '',
    call: `await new OpenAI().chat.completions.create({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: '${ASKED}' }] });`,
    trace: { session_id: null },
  },
];

describeOnDatabase(SQLITE, 'the programs of docs/otlp.md', ({ newDatabase }) => {
  let provider: FakeProvider;
  let server: ServerApp;
  beforeAll(async () => {
    provider = await startFakeProvider();
    server = await startServerApp(await newDatabase('page'));
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  it('are those that are run here', () => {
    const found = blocks.map((block) => EXAMPLES.filter(({ has }) => block.includes(has)).map(({ has }) => has));
    expect(found).toEqual(EXAMPLES.map(({ has }) => [has]));
  });

  it.each(EXAMPLES.map((example) => [example.has, example] as const))(
    'the one with %s sends a call with its messages and tokens',
    async (_has, { has, before, call, trace }) => {
      const block = blocks.find((each) => each.includes(has))!;
      // Beside node_modules, so that imports resolve as in a project of the reader's.
      const file = resolve('dist', `otlp-page-${has}.mjs`);
      writeFileSync(file, [before, block, call, 'await sdk.shutdown();'].join('\n'));
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: server.url, OPENAI_BASE_URL: `${provider.url}/v1` };
      const known = new Set((await server.api.traces()).map(({ id }) => id));
      const said = await runSender({ program: [file] }, env);
      expect(said).toBe('');
      const made = (await server.api.traces()).filter(({ id }) => !known.has(id));
      expect(made).toMatchObject([{ ...trace, status: 'completed' }]);
      const spans = (await server.api.spans('model=gpt-4.1-mini')).filter(({ trace_id }) => trace_id === made[0]!.id);
      const calls = spans.filter(({ kind }) => kind.type === 'llm_call');
      expect(calls).toMatchObject([
        { input: [{ role: 'user', content: ASKED }], output: { text: `You said: ${ASKED}` } },
      ]);
      expect(made[0]!.total_tokens).toBeGreaterThan(0);
    },
  );
});
