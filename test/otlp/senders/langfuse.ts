/** Langfuse's SDK around the client of OpenAI: nothing but its base URL and keys is set. */
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { observeOpenAI } from '@langfuse/openai';
import { propagateAttributes, startActiveObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { openAiCalls, openAiClient } from './openai-calls.ts';

const provider = new NodeTracerProvider({ spanProcessors: [new LangfuseSpanProcessor({ release: 'v7' })] });
provider.register();

const trace = {
  traceName: 'tides',
  sessionId: 'session-langfuse',
  userId: 'ada',
  tags: ['tides', 'harbour'],
  metadata: { team: 'coast' },
};
const client = observeOpenAI(openAiClient());

await propagateAttributes(trace, () =>
  startActiveObservation('langfuse', async (root) => {
    root.update({ input: 'When is high tide?', metadata: { depth: 3 } });
    for (const [step, call] of Object.entries(openAiCalls(client))) {
      // The observation of the call says what fails of the call.
      await startActiveObservation(step, () => call().catch(() => undefined));
    }
    const tool = root.startObservation('get_tide', { input: { harbour: '長崎' } }, { asType: 'tool' });
    tool.update({ output: { high: '11:20' }, level: 'ERROR', statusMessage: 'the harbour is closed' }).end();
    root.update({ output: '11:20' });
  }),
);
await provider.shutdown();
