import { createRequire } from 'node:module';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import type OpenAI from 'openai';

/** A client of OpenAI; instrumentations patch what is required after they were started. */
export function openAiClient(options: object = {}): OpenAI {
  const { OpenAI: Client } = createRequire(import.meta.url)('openai') as { OpenAI: new (options: object) => OpenAI };
  return new Client({ maxRetries: 0, ...options });
}

const MODEL = 'gpt-4.1-mini';
const SYSTEM = { role: 'system', content: 'Answer in one sentence.' } as const;
const TIDE = {
  name: 'get_tide',
  description: 'The tide at a harbour',
  parameters: { type: 'object', properties: { harbour: { type: 'string' } } },
};

/** What a user asks; `fake:…` says what the provider of the tests is to do. */
const asked = (scenario: string) => ({ role: 'user', content: `fake:${scenario} When is high tide?` }) as const;

const PLAIN = { model: MODEL, messages: [asked('cached')] };

/** Where the gateway is and what it wants of its callers, where the same call is to be recorded by it too. */
export const GATEWAY = process.env['SENDER_GATEWAY'] && (JSON.parse(process.env['SENDER_GATEWAY']) as GatewayAccess);

interface GatewayAccess {
  baseURL: string;
  defaultHeaders: Record<string, string>;
}

/** An application with a span of its own around each call, which is named as the call. */
export async function inApplication(
  name: string,
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const tracer = trace.getTracer('application', '1.0.0');
  await tracer.startActiveSpan(name, async (root) => {
    for (const [step, call] of Object.entries(calls)) {
      await tracer.startActiveSpan(step, async (span) => {
        try {
          await call();
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
        } finally {
          span.end();
        }
      });
    }
    root.end();
  });
}

/** A call of each kind by the client of OpenAI: whole, streamed, with a tool, failing, Responses, embeddings. */
export function openAiCalls(client = openAiClient()): Record<string, () => Promise<unknown>> {
  const { completions } = client.chat;
  return {
    chat: () => completions.create({ model: MODEL, temperature: 0.5, messages: [SYSTEM, asked('cached+reasoning')] }),
    stream: async () => {
      const stream = await completions.create({
        model: MODEL,
        messages: [SYSTEM, asked('cached')],
        stream: true,
        stream_options: { include_usage: true },
      });
      return drain(stream);
    },
    tool: async () => {
      const question = asked('tools');
      const tools = [{ type: 'function' as const, function: TIDE }];
      const { choices } = await completions.create({ model: MODEL, messages: [question], tools });
      const { message } = choices[0]!;
      const result = { role: 'tool' as const, tool_call_id: message.tool_calls![0]!.id, content: '{"high":"11:20"}' };
      return completions.create({ model: MODEL, messages: [question, message, result], tools });
    },
    error: () => completions.create({ model: MODEL, messages: [asked('error-429')] }),
    responses: () =>
      client.responses.create({ model: MODEL, instructions: SYSTEM.content, input: asked('cached+reasoning').content }),
    embeddings: () => client.embeddings.create({ model: 'text-embedding-3-small', input: ['ebb', 'flow'] }),
    ...(GATEWAY && { gateway: () => client.withOptions(GATEWAY).chat.completions.create(PLAIN) }),
  };
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of stream);
}
