/** The client of OpenAI under Traceloop's OpenLLMetry. */
import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import { inApplication, openAiCalls } from './openai-calls.ts';
import { withSdk } from './with-sdk.ts';

await withSdk([new OpenAIInstrumentation()], () => inApplication('traceloop', openAiCalls()));
