import { openAiEndpointOf, type Endpoint, type StreamFrame } from '@spandrel/plugin-api';
import { setUpPlugin } from '@spandrel/plugin-api/testing';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import ollama from '../../plugins/providers/ollama/index.ts';

/** What a call used; zero is none. */
export interface Counts {
  input: number;
  cached: number;
  written: number;
  written1h: number;
  inputAudio: number;
  inputImage: number;
  output: number;
  reasoning: number;
  outputAudio: number;
  outputImage: number;
  searches: number;
}

export interface Answered {
  model: string;
  counts: Counts;
  tier: string | null;
}

/** How the provider of a model answers at an endpoint: as one JSON value, or as the frames of a stream. */
export type Shape = { endpoint: Endpoint } & (
  | { whole: (answered: Answered) => unknown }
  | { frames: (answered: Answered) => StreamFrame[] }
);

const endpointAt = (
  find: (head: { method: string; path: string; headers: {} }) => Endpoint | undefined,
  path: string,
) => find({ method: 'POST', path, headers: {} })!;

const chat = endpointAt(openAiEndpointOf, '/v1/chat/completions');
const responses = endpointAt(openAiEndpointOf, '/v1/responses');
const completions = endpointAt(openAiEndpointOf, '/v1/completions');
const embeddings = endpointAt(openAiEndpointOf, '/v1/embeddings');
const messages = endpointAt((await setUpPlugin(anthropic, {})).endpoint, '/v1/messages');
const ollamaProvider = await setUpPlugin(ollama, {});
const ollamaAt = (path: string): Endpoint => endpointAt(ollamaProvider.endpoint, path);

const data = (value: unknown): StreamFrame => ({ data: JSON.stringify(value) });
const event = (value: { type: string }): StreamFrame => ({ event: value.type, data: JSON.stringify(value) });

type ChatUsage = (counts: Counts) => object;

const openAiUsage: ChatUsage = (counts) => ({
  prompt_tokens: counts.input,
  completion_tokens: counts.output,
  total_tokens: counts.input + counts.output,
  prompt_tokens_details: {
    cached_tokens: counts.cached,
    cache_write_tokens: counts.written,
    audio_tokens: counts.inputAudio,
    image_tokens: counts.inputImage,
  },
  completion_tokens_details: {
    reasoning_tokens: counts.reasoning,
    audio_tokens: counts.outputAudio,
    image_tokens: counts.outputImage,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
});

/** DeepSeek reports what its cache had beside the details of OpenAI. */
const deepSeekUsage: ChatUsage = ({ input, cached, output, reasoning }) => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  ...{ prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: input - cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

/** xAI counts reasoning beside the completion, in the total alone. */
const xaiUsage: ChatUsage = ({ input, cached, output, reasoning }) => ({
  ...{ prompt_tokens: input, completion_tokens: output - reasoning, total_tokens: input + output },
  prompt_tokens_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
});

/** Gemini's compatible layer leaves thoughts out of the completion, and says nothing of them but the total. */
const geminiUsage: ChatUsage = ({ input, cached, output, reasoning }) => ({
  ...{ prompt_tokens: input, completion_tokens: output - reasoning, total_tokens: input + output },
  ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
});

const moonshotUsage: ChatUsage = ({ input, cached, output }) => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output, cached_tokens: cached },
});

const said = { role: 'assistant', content: 'Low water at noon.' };
const choice = { index: 0, message: said, finish_reason: 'stop' };

const wholeChat = (usageOf: ChatUsage): Shape => ({
  endpoint: chat,
  whole: ({ model, counts, tier }) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices: [choice] },
    ...{ usage: usageOf(counts), service_tier: tier ?? 'default' },
  }),
});

/** @param place where the last chunk has the usage. */
const streamedChat = (usageOf: ChatUsage, place: 'usage' | 'x_groq' | 'choice' = 'usage'): Shape => ({
  endpoint: chat,
  frames: ({ model, counts, tier }) => {
    const chunk = (choices: object[], more: object = {}) =>
      data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more });
    const usage = usageOf(counts);
    const ended = { index: 0, delta: {}, finish_reason: 'stop' };
    const last = {
      usage: [chunk([ended]), chunk([], { usage, service_tier: tier ?? 'default' })],
      x_groq: [chunk([ended], { x_groq: { id: 'req_1', usage } })],
      choice: [chunk([{ ...ended, usage }])],
    }[place];
    return [chunk([{ index: 0, delta: said }], { usage: null }), ...last, { data: '[DONE]' }];
  },
});

function responseOf({ model, counts, tier }: Answered): object {
  const search = (_: unknown, index: number) => ({
    ...{ id: `ws_${index}`, type: 'web_search_call', status: 'completed' },
    action: { type: 'search', query: 'tides' },
  });
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said.content }] };
  return {
    ...{ id: 'resp_1', object: 'response', status: 'completed', model, service_tier: tier ?? 'default' },
    output: [...Array.from({ length: counts.searches }, search), message],
    usage: {
      input_tokens: counts.input,
      input_tokens_details: { cached_tokens: counts.cached, cache_write_tokens: counts.written },
      output_tokens: counts.output,
      output_tokens_details: { reasoning_tokens: counts.reasoning },
      total_tokens: counts.input + counts.output,
    },
  };
}

function messageUsage({ counts, tier }: Answered): object {
  const { input, cached, written, written1h, reasoning, searches } = counts;
  return {
    ...{
      input_tokens: input - cached - written,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
    },
    cache_creation: { ephemeral_5m_input_tokens: written - written1h, ephemeral_1h_input_tokens: written1h },
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
    ...tierMembers(tier?.split('+') ?? []),
  };
}

function tierMembers(tiers: readonly string[]): object {
  const place = tiers.includes('us') ? { inference_geo: 'us' } : {};
  if (tiers.includes('fast')) return { ...place, service_tier: 'standard', speed: 'fast' };
  return { ...place, service_tier: tiers.find((tier) => tier !== 'us') ?? 'standard' };
}

const messageHead = ({ model }: Answered) => ({ id: 'msg_1', type: 'message', role: 'assistant', model });

/** The shapes by their names: eight endpoints, with what providers of their formats do differently. */
export const SHAPES = {
  chat: wholeChat(openAiUsage),
  'chat stream': streamedChat(openAiUsage),
  'chat of DeepSeek': wholeChat(deepSeekUsage),
  'chat stream of DeepSeek': streamedChat(deepSeekUsage),
  'chat of xAI': wholeChat(xaiUsage),
  'chat stream of xAI': streamedChat(xaiUsage),
  'chat of Gemini': wholeChat(geminiUsage),
  'chat stream of Gemini': streamedChat(geminiUsage),
  'chat stream of Moonshot': streamedChat(moonshotUsage, 'choice'),
  'chat stream of Groq': streamedChat(openAiUsage, 'x_groq'),
  responses: { endpoint: responses, whole: responseOf },
  'responses stream': {
    endpoint: responses,
    frames: (answered) => [
      event({ type: 'response.created', ...{ response: { id: 'resp_1', model: answered.model, usage: null } } }),
      event({ type: 'response.output_text.delta', ...{ delta: said.content } }),
      event({ type: 'response.completed', ...{ response: responseOf(answered) } }),
    ],
  },
  completions: {
    endpoint: completions,
    whole: ({ model, counts: { input, output } }) => ({
      ...{
        id: 'cmpl-1',
        object: 'text_completion',
        model,
        choices: [{ index: 0, text: 'Noon.', finish_reason: 'stop' }],
      },
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
  },
  embeddings: {
    endpoint: embeddings,
    whole: ({ model, counts: { input } }) => ({
      ...{ object: 'list', model, data: [{ object: 'embedding', index: 0, embedding: [0.1] }] },
      usage: { prompt_tokens: input, total_tokens: input },
    }),
  },
  messages: {
    endpoint: messages,
    whole: (answered) => ({
      ...{ ...messageHead(answered), content: [{ type: 'text', text: said.content }], stop_reason: 'end_turn' },
      usage: { ...messageUsage(answered), output_tokens: answered.counts.output },
    }),
  },
  'messages stream': {
    endpoint: messages,
    frames: (answered) => [
      event({
        type: 'message_start',
        ...{
          message: { ...messageHead(answered), content: [], usage: { ...messageUsage(answered), output_tokens: 1 } },
        },
      }),
      event({ type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } }),
      event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text: said.content } } }),
      event({
        type: 'message_delta',
        ...{ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: answered.counts.output } },
      }),
      event({ type: 'message_stop' }),
    ],
  },
  'ollama chat': {
    endpoint: ollamaAt('/api/chat'),
    frames: ({ model, counts: { input, output } }) => [
      data({ model, message: said, done: false }),
      data({ model, message: {}, done: true, done_reason: 'stop', prompt_eval_count: input, eval_count: output }),
    ],
  },
  'ollama generate': {
    endpoint: ollamaAt('/api/generate'),
    whole: ({ model, counts: { input, output } }) => ({
      ...{ model, response: said.content, done: true, prompt_eval_count: input, eval_count: output },
    }),
  },
  'ollama embed': {
    endpoint: ollamaAt('/api/embed'),
    whole: ({ model, counts: { input } }) => ({ model, embeddings: [[0.1]], prompt_eval_count: input }),
  },
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof SHAPES;
