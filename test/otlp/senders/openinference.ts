/** The client of OpenAI under Arize's OpenInference. */
import { setAttributes, setMetadata, setSession, setTags, setUser } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import { inApplication, openAiCalls } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

await withSdk([new OpenAIInstrumentation()], async () => {
  let told = setSession(context.active(), { sessionId: 'session-openinference' });
  told = setUser(told, { userId: 'ada' });
  told = setTags(told, ['tides', 'harbour']);
  told = setMetadata(told, { team: 'coast' });
  told = setAttributes(told, { 'app.release': '7' });
  await context.with(told, () => inApplication('openinference', openAiCalls()));
});
