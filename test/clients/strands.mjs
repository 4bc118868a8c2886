/** Strands Agents: an agent that answers and calls a tool, through the gateway, with its own export by OpenTelemetry. */
import { Agent, tool } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { setupTracer } from '@strands-agents/sdk/telemetry';
import { z } from 'zod';

const tracer = setupTracer({ exporters: { otlp: true } });
const tide = tool({
  name: 'get_tide',
  description: 'The tide at a harbour',
  inputSchema: z.object({ harbour: z.string() }),
  callback: () => '11:20',
});
const pilot = () =>
  new Agent({
    name: 'Pilot',
    systemPrompt: 'Answer in one sentence.',
    printer: false,
    tools: [tide],
    model: new OpenAIModel({
      api: 'chat',
      modelId: 'gpt-4.1-mini',
      apiKey: 'sk-any',
      clientConfig: { baseURL: process.env.OPENAI_BASE_URL, maxRetries: 0 },
    }),
  });
await pilot().invoke('fake:cached+reasoning When is high tide?');
await pilot().invoke('fake:tools When is high tide?');
await tracer.forceFlush();
await tracer.shutdown();
