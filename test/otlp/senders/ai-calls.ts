import { z } from 'zod';
import { GATEWAY } from './openai-calls.ts';

/** What both versions of the AI SDK have that the calls need; their types differ in nothing that matters here. */
export interface AiSdk {
  generateText(options: object): Promise<unknown>;
  streamText(options: object): { consumeStream(): PromiseLike<unknown> };
  embed(options: object): Promise<unknown>;
  embedMany(options: object): Promise<unknown>;
  tool(options: object): unknown;
  stepCountIs?(count: number): unknown;
  isStepCount?(count: number): unknown;
}

export interface Models {
  chat(model: string): unknown;
  responses(model: string): unknown;
  embedding(model: string): unknown;
}

const MODEL = 'gpt-4.1-mini';
const system = 'Answer in one sentence.';
const asked = (scenario: string): string => `fake:${scenario} When is high tide?`;

/** Makes the models of OpenAI for either version. */
export type MakeModels = (options?: { baseURL: string; headers: Record<string, string> }) => Models;

/**
 * A call of each kind by the AI SDK: whole, streamed, a loop with a tool, failing, embeddings of one and of many.
 * @param reported what goes into the options of every call.
 */
export function aiCalls(ai: AiSdk, makeModels: MakeModels, reported: object): Record<string, () => Promise<unknown>> {
  const openai = makeModels();
  const common = { ...reported, maxRetries: 0 };
  const tide = ai.tool({
    description: 'The tide at a harbour',
    inputSchema: z.object({ harbour: z.string() }),
    execute: async ({ harbour }: { harbour: string }) => ({ harbour, high: '11:20' }),
  });
  const stopWhen = (ai.stepCountIs ?? ai.isStepCount)!(3);
  const model = openai.chat(MODEL);
  const throughGateway = () =>
    GATEWAY && makeModels({ baseURL: GATEWAY.baseURL, headers: GATEWAY.defaultHeaders }).chat(MODEL);
  return {
    chat: () => ai.generateText({ ...common, model, system, temperature: 0.5, prompt: asked('cached+reasoning') }),
    stream: async () => ai.streamText({ ...common, model, system, prompt: asked('cached') }).consumeStream(),
    tool: () => ai.generateText({ ...common, model, tools: { get_tide: tide }, stopWhen, prompt: asked('tools') }),
    error: () => ai.generateText({ ...common, model, prompt: asked('error-429') }),
    responses: () =>
      ai.generateText({ ...common, model: openai.responses(MODEL), system, prompt: asked('cached+reasoning') }),
    embeddings: () =>
      ai.embedMany({ ...common, model: openai.embedding('text-embedding-3-small'), values: ['ebb', 'flow'] }),
    embedding: () => ai.embed({ ...common, model: openai.embedding('text-embedding-3-small'), value: 'ebb' }),
    ...(GATEWAY && { gateway: () => ai.generateText({ ...common, model: throughGateway(), prompt: asked('cached') }) }),
  };
}
