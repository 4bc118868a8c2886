/** The client of OpenAI under OpenTelemetry's own instrumentation, whose messages come as log records. */
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { inApplication, openAiCalls } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

await withSdk([new OpenAIInstrumentation({ captureMessageContent: true })], () =>
  inApplication('opentelemetry', openAiCalls()),
);
