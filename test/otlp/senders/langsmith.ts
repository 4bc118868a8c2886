/** LangSmith's SDK around the client of OpenAI, with its export by OpenTelemetry switched on. */
import { Client } from 'langsmith';
import { initializeOTEL } from 'langsmith/experimental/otel/setup';
import { traceable } from 'langsmith/traceable';
import { wrapOpenAI } from 'langsmith/wrappers';
import { openAiCalls, openAiClient } from './openai-calls.ts';

const { DEFAULT_LANGSMITH_SPAN_PROCESSOR: spans } = initializeOTEL();
const client = new Client();
const calls = openAiCalls(wrapOpenAI(openAiClient(), { client }));
const tide = traceable(async ({ harbour }: { harbour: string }) => ({ harbour, high: '11:20' }), {
  name: 'get_tide',
  run_type: 'tool',
});

const application = traceable(
  async (_question: string) => {
    for (const [step, call] of Object.entries(calls)) {
      await traceable(() => call(), { name: step, run_type: 'chain' })().catch(() => undefined);
    }
    await tide({ harbour: '長崎' });
    return '11:20';
  },
  {
    name: 'langsmith',
    client,
    run_type: 'chain',
    tags: ['tides', 'harbour'],
    metadata: { session_id: 'session-langsmith', user_id: 'ada', team: 'coast' },
  },
);
await application('When is high tide?');
await client.awaitPendingTraceBatches();
await spans.shutdown();
