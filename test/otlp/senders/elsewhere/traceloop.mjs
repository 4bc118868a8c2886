/**
 * Traceloop's SDK in a version before the GenAI conventions, around the client of OpenAI.
 * Wants `npm install @traceloop/node-server-sdk@0.22.8 openai@5` in the folder it is run from.
 */
import * as traceloop from '@traceloop/node-server-sdk';
import { openAiCalls, openAiClient } from '../openai-calls.ts';

traceloop.initialize({
  appName: 'tides',
  apiKey: 'any',
  baseUrl: process.env.OTEL_EXPORTER_OTLP_ENDPOINT,
  disableBatch: true,
  silenceInitializationMessage: true,
  instrumentModules: { openAI: openAiClient().constructor },
});
const calls = openAiCalls();
const properties = { session_id: 'session-traceloop', user_id: 'ada', team: 'coast' };

await traceloop.withAssociationProperties(properties, () =>
  traceloop.withWorkflow({ name: 'tides' }, async () => {
    for (const [name, call] of Object.entries(calls)) {
      await traceloop.withTask({ name }, call).catch(() => undefined);
    }
    await traceloop.withTool({ name: 'get_tide' }, async ({ harbour }) => ({ harbour, high: '11:20' }), {
      harbour: '長崎',
    });
    return traceloop.withAgent({ name: 'pilot' }, async (question) => `${question} 11:20`, 'When is high tide?');
  }),
);
await traceloop.forceFlush();
