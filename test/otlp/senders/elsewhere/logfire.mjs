/**
 * Logfire's SDK for Node.js with the instrumentations it brings, around the client of OpenAI.
 * Wants `npm install @pydantic/logfire-node openai` in the folder it is run from.
 */
import * as logfire from '@pydantic/logfire-node';
logfire.configure({
  token: 'any',
  serviceName: 'tides',
  console: false,
  metrics: false,
  advanced: { baseUrl: process.env.OTEL_EXPORTER_OTLP_ENDPOINT },
});
const { openAiCalls } = await import('../openai-calls.ts');

await logfire.span('tides of {harbour}', {
  attributes: { harbour: '長崎', depth: 3 },
  tags: ['tides', 'harbour'],
  callback: async () => {
    logfire.info('high at {at}', { at: '11:20' });
    for (const [name, call] of Object.entries(openAiCalls())) {
      await logfire.span(name, { callback: call }).catch((error) => logfire.reportError('refused', error));
    }
  },
});
await logfire.shutdown();
