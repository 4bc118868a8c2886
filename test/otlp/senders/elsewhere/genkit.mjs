/**
 * Genkit: a flow of calls by its plugin for OpenAI: whole, streamed, with a tool and failing, and an embedding.
 * Wants `npm install genkit @genkit-ai/compat-oai @opentelemetry/exporter-trace-otlp-proto@0.52` in the folder it is run from.
 */
import openAI from '@genkit-ai/compat-oai/openai';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { genkit, z } from 'genkit';
import { enableTelemetry, flushTracing } from 'genkit/tracing';

await enableTelemetry({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
const plugin = openAI.openAI ?? openAI.default ?? openAI;
const ai = genkit({ plugins: [plugin({ apiKey: 'sk-any', baseURL: process.env.OPENAI_BASE_URL, maxRetries: 0 })] });
const tide = ai.defineTool(
  { name: 'get_tide', description: 'The tide at a harbour', inputSchema: z.object({ harbour: z.string() }) },
  async ({ harbour }) => ({ harbour, high: '11:20' }),
);
const model = 'openai/gpt-4.1-mini';
const system = 'Answer in one sentence.';
const tides = ai.defineFlow({ name: 'tides', inputSchema: z.string() }, async (question) => {
  await ai.generate({ model, system, prompt: `fake:cached+reasoning ${question}`, config: { temperature: 0.5 } });
  const { stream, response } = ai.generateStream({ model, system, prompt: `fake:cached ${question}` });
  for await (const _piece of stream);
  await response;
  await ai.generate({ model, prompt: `fake:tools ${question}`, tools: [tide] });
  await ai.generate({ model, prompt: `fake:error-400 ${question}` }).catch(() => undefined);
  await ai.embed({ embedder: 'openai/text-embedding-3-small', content: 'ebb' });
  return '11:20';
});
await tides('When is high tide?');
await flushTracing();
