/** OpenAI Agents: an agent that answers, streams, and calls a tool; its own tracing, which goes to OpenAI alone, is off. */
import { Agent, Runner, setTracingDisabled, tool } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import { z } from 'zod';

setTracingDisabled(true);
const tide = tool({
  name: 'get_tide',
  description: 'The tide at a harbour',
  parameters: z.object({ harbour: z.string() }),
  execute: () => '11:20',
});
const pilot = new Agent({
  name: 'Pilot',
  instructions: 'Answer in one sentence.',
  model: 'gpt-4.1-mini',
  tools: [tide],
});
const options = { apiKey: 'sk-any', baseURL: process.env.OPENAI_BASE_URL };
for (const useResponses of [true, false]) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ ...options, useResponses }), tracingDisabled: true });
  await runner.run(pilot, 'fake:cached+reasoning When is high tide?');
  const streamed = await runner.run(pilot, 'fake:cached When is high tide?', { stream: true });
  for await (const _event of streamed);
  await streamed.completed;
  await runner.run(pilot, 'fake:tools When is high tide?');
}
