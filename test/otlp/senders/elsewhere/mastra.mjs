/**
 * Mastra: an agent that calls a tool, streams and fails, and a workflow of two steps, by Mastra's own exporter.
 * Wants `npm install @mastra/core @mastra/observability @mastra/otel-exporter @opentelemetry/exporter-trace-otlp-proto@0.218
 * @opentelemetry/exporter-logs-otlp-proto@0.218 @ai-sdk/openai zod` in the folder it is run from.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import { z } from 'zod';

const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const exporter = new OtelExporter({
  provider: { custom: { endpoint, protocol: 'http/protobuf' } },
  signals: { traces: true, logs: false },
});

const harbour = z.object({ harbour: z.string() });
const high = z.object({ harbour: z.string(), high: z.string() });
const tide = createTool({
  id: 'get_tide',
  description: 'The tide at a harbour',
  inputSchema: harbour,
  outputSchema: high,
  execute: async (input) => ({ harbour: (input.context ?? input).harbour, high: '11:20' }),
});
const pilot = new Agent({
  id: 'pilot',
  name: 'Pilot',
  instructions: 'Answer in one sentence.',
  model: createOpenAI({ apiKey: 'sk-any', baseURL: process.env.OPENAI_BASE_URL }).chat('gpt-4.1-mini'),
  tools: { get_tide: tide },
  maxRetries: 0,
});
const find = createStep({
  id: 'find',
  inputSchema: harbour,
  outputSchema: high,
  execute: async ({ inputData }) => ({ ...inputData, high: '11:20' }),
});
const announce = createStep({
  id: 'announce',
  inputSchema: high,
  outputSchema: z.object({ text: z.string() }),
  execute: async ({ inputData }) => ({ text: `${inputData.harbour}: ${inputData.high}` }),
});
const tides = createWorkflow({ id: 'tides', inputSchema: harbour, outputSchema: z.object({ text: z.string() }) })
  .then(find)
  .then(announce)
  .commit();

const mastra = new Mastra({
  agents: { pilot },
  workflows: { tides },
  logger: false,
  observability: new Observability({ configs: { default: { serviceName: 'tides', exporters: [exporter] } } }),
});
const agent = mastra.getAgent('pilot');
const tracingOptions = { metadata: { sessionId: 'session-mastra', userId: 'ada', team: 'coast' }, tags: ['tides'] };

await agent.generate('fake:cached+reasoning When is high tide?', { tracingOptions });
await (await agent.stream('fake:cached When is high tide?', { tracingOptions })).consumeStream();
await agent.generate('fake:tools When is high tide?', { tracingOptions, maxSteps: 3 });
await agent.generate('fake:error-400 When is high tide?', { tracingOptions }).catch(() => undefined);
const run = await mastra.getWorkflow('tides').createRun();
await run.start({ inputData: { harbour: '長崎' }, tracingOptions });
await mastra.shutdown();
