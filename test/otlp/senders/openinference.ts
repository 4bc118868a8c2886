/** The client of OpenAI under Arize's OpenInference. */
import { setAttributes, setMetadata, setSession, setTags, setUser } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { context } from '@opentelemetry/api';
import { inApplication, openAiCalls } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

await withSdk([new OpenAIInstrumentation()], async () => {
  let reported = setSession(context.active(), { sessionId: 'session-openinference' });
  reported = setUser(reported, { userId: 'ada' });
  reported = setTags(reported, ['tides', 'harbour']);
  reported = setMetadata(reported, { team: 'coast' });
  reported = setAttributes(reported, { 'app.release': '7' });
  await context.with(reported, () => inApplication('openinference', openAiCalls()));
});
