/** The AI SDK in version 6, with telemetry of its own form (`ai.*`). */
import * as ai from 'ai6';
import { createOpenAI } from 'ai6-openai';
import { aiCalls, type AiSdk, type MakeModels } from './ai-calls.ts';
import { inApplication } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

await withSdk([], () => {
  const metadata = { sessionId: 'session-ai-sdk-6', userId: 'ada', tags: ['tides', 'harbour'], team: 'coast' };
  const reported = { experimental_telemetry: { isEnabled: true, functionId: 'tides', metadata } };
  return inApplication('ai-sdk-6', aiCalls(ai as unknown as AiSdk, createOpenAI as MakeModels, reported));
});
