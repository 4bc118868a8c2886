import { FAKE_MODELS } from './fake-models.js';
import type { FakeReply, FakeRequest } from './fake-reply.js';

type Said = Exclude<FakeReply, { status: number }>;

/** Characters that count as one token, about. */
const TOKEN_LENGTH = 4;
const DIMENSIONS = 8;

/** An answer of OpenAI's chat completions, https://platform.openai.com/docs/api-reference/chat. */
export function chatCompletion(request: FakeRequest, said: Said): object {
  const message =
    'text' in said
      ? { role: 'assistant', content: said.text }
      : { role: 'assistant', content: null, tool_calls: [toolCall(said.tool)] };
  return {
    ...head(request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(said) }],
    usage: usage(request, said),
  };
}

/** The chunks of a streamed answer, a word at a time; the last one has the usage where the request asks for it. */
export function chatChunks(request: FakeRequest, said: Said): object[] {
  const withUsage = request.stream_options?.include_usage === true;
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head(request, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage && { usage: null }),
  });
  const deltas =
    'text' in said
      ? (said.text.match(/\S+\s*/g) ?? []).map((content) => ({ content }))
      : [{ tool_calls: [{ index: 0, ...toolCall(said.tool) }] }];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finishReason(said)),
    ...(withUsage ? [{ ...head(request, 'chat.completion.chunk'), choices: [], usage: usage(request, said) }] : []),
  ];
}

/** An answer of OpenAI's embeddings: vectors that depend on the text and mean nothing. */
export function embeddings({ model, input }: FakeRequest): object {
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** The list of models. */
export const modelList = (): object => ({
  object: 'list',
  data: Object.values(FAKE_MODELS).map((id) => ({ id, object: 'model', created: 0, owned_by: 'spandrel-demo' })),
});

/** An error as OpenAI writes it. */
export const errorBody = (code: string, message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

const head = ({ model }: FakeRequest, object: string) => ({
  id: 'chatcmpl-spandrel-demo',
  object,
  created: Math.floor(Date.now() / 1000),
  model,
  system_fingerprint: 'fp_spandrel_demo_fake',
});

const toolCall = (called: { name: string; arguments: string }) => ({
  id: 'call_spandrel_demo',
  type: 'function',
  function: called,
});

const finishReason = (said: Said): string => ('text' in said ? 'stop' : 'tool_calls');

function usage({ messages = [] }: FakeRequest, said: Said) {
  const input = messages.reduce((sum, { content }) => sum + tokensOf(JSON.stringify(content ?? '')), 0);
  const output = tokensOf('text' in said ? said.text : JSON.stringify(said.tool));
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const tokensOf = (text: string): number => Math.ceil(text.length / TOKEN_LENGTH);

const vectorOf = (text: string): number[] =>
  Array.from({ length: DIMENSIONS }, (_none, at) => ((text.charCodeAt(at % text.length) || 0) % 16) / 16);
