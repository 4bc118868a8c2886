/** The AI SDK in version 7, by the GenAI conventions, or in its older form when called with `legacy`. */
import * as ai from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel';
import { aiCalls, type AiSdk, type MakeModels } from './ai-calls.ts';
import { inApplication } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

const isLegacy = process.argv.includes('legacy');
const name = isLegacy ? 'ai-sdk-7-legacy' : 'ai-sdk-7';

await withSdk([], () => {
  ai.registerTelemetry(isLegacy ? new LegacyOpenTelemetry() : new OpenTelemetry({ runtimeContext: true, usage: true }));
  const reported = {
    runtimeContext: { sessionId: `session-${name}`, userId: 'ada', team: 'coast' },
    telemetry: { functionId: 'tides', includeRuntimeContext: { sessionId: true, userId: true, team: true } },
  };
  return inApplication(name, aiCalls(ai as unknown as AiSdk, createOpenAI as MakeModels, reported));
});
