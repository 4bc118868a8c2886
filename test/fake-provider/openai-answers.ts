import { errorMessage, jsonAnswer, sseAnswer, tokensOf, type FakeAnswer, type FakeCall } from './answer.ts';
import { FAKE_USAGE } from './usage.ts';

const CREATED = 1794000000;
const TOOL = { name: 'get_tide', arguments: '{"harbour":"長崎"}' };

/** OpenAI's formats except Responses. */
export function openAiAnswer(call: FakeCall): FakeAnswer {
  if (call.path.endsWith('/models'))
    return jsonAnswer({ object: 'list', data: [model('gpt-5.1'), model('gpt-4.1-mini')] });
  if (call.path.endsWith('/embeddings')) return embeddings(call);
  if (call.path.endsWith('/chat/completions')) return call.body['stream'] === true ? chatStream(call) : chat(call);
  return completions(call);
}

export function openAiError(status: number, call: FakeCall): FakeAnswer {
  const type = status === 429 ? 'tokens' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const code = status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : null;
  return jsonAnswer({ error: { message: errorMessage(status, call), type, param: null, code } }, status);
}

const model = (id: string) => ({ id, object: 'model', created: CREATED, owned_by: 'fake' });

const toolCall = { id: 'call_fake0001', type: 'function', function: TOOL };

function usageOf({ scenario }: FakeCall) {
  return {
    prompt_tokens: FAKE_USAGE.input,
    completion_tokens: FAKE_USAGE.output,
    total_tokens: FAKE_USAGE.input + FAKE_USAGE.output,
    prompt_tokens_details: { cached_tokens: scenario.has('cached') ? FAKE_USAGE.cached : 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: scenario.has('reasoning') ? FAKE_USAGE.reasoning : 0,
      audio_tokens: 0,
    },
  };
}

const head = (call: FakeCall, object: string) => ({
  id: 'chatcmpl-fake0001',
  object,
  created: CREATED,
  model: call.body['model'],
  service_tier: 'default',
  system_fingerprint: 'fp_fake',
});

function chat(call: FakeCall): FakeAnswer {
  const tools = call.scenario.has('tools');
  const message = {
    role: 'assistant',
    content: tools ? null : call.text,
    refusal: null,
    annotations: [],
    ...(tools && { tool_calls: [toolCall] }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: tools ? 'tool_calls' : 'stop' };
  return jsonAnswer({ ...head(call, 'chat.completion'), choices: [choice], usage: usageOf(call) });
}

function chatStream(call: FakeCall): FakeAnswer {
  const includeUsage = asksForUsage(call);
  const tools = call.scenario.has('tools');
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head(call, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includeUsage && { usage: null }),
  });
  const piece = (call: object) => chunk({ tool_calls: [{ index: 0, ...call }] });
  return sseAnswer(
    [
      chunk({ role: 'assistant', content: tools ? null : '', refusal: null }),
      ...(tools
        ? [
            piece({ id: toolCall.id, type: 'function', function: { name: TOOL.name, arguments: '' } }),
            piece({ function: { arguments: TOOL.arguments.slice(0, 6) } }),
            piece({ function: { arguments: TOOL.arguments.slice(6) } }),
          ]
        : tokensOf(call.text).map((content) => chunk({ content }))),
      chunk({}, tools ? 'tool_calls' : 'stop'),
      ...(includeUsage ? [{ ...head(call, 'chat.completion.chunk'), choices: [], usage: usageOf(call) }] : []),
      '[DONE]',
    ],
    false,
  );
}

const asksForUsage = ({ body }: FakeCall): boolean =>
  (body['stream_options'] as { include_usage?: boolean } | null | undefined)?.include_usage === true;

function completions(call: FakeCall): FakeAnswer {
  const answer = (text: string, finish: string | null, usage?: unknown) => ({
    id: 'cmpl-fake0001',
    object: 'text_completion',
    created: CREATED,
    model: call.body['model'],
    choices: [{ text, index: 0, logprobs: null, finish_reason: finish }],
    ...(usage !== undefined && { usage }),
  });
  const { prompt_tokens, completion_tokens, total_tokens } = usageOf(call);
  const usage = { prompt_tokens, completion_tokens, total_tokens };
  if (call.body['stream'] !== true) return jsonAnswer(answer(call.text, 'stop', usage));
  const asked = asksForUsage(call);
  const chunk = (text: string, finish: string | null) => answer(text, finish, asked ? null : undefined);
  const pieces = [...tokensOf(call.text).map((text) => chunk(text, null)), chunk('', 'stop')];
  return sseAnswer([...pieces, ...(asked ? [{ ...answer('', null, usage), choices: [] }] : []), '[DONE]'], false);
}

function embeddings(call: FakeCall): FakeAnswer {
  const inputs = Array.isArray(call.body['input']) ? call.body['input'] : [call.body['input']];
  const vector = [0.5, -0.25, 0.125, 1];
  const embedding =
    call.body['encoding_format'] === 'base64'
      ? Buffer.from(new Float32Array(vector).buffer).toString('base64')
      : vector;
  return jsonAnswer({
    object: 'list',
    data: inputs.map((_input, index) => ({ object: 'embedding', index, embedding })),
    model: call.body['model'],
    usage: { prompt_tokens: FAKE_USAGE.input, total_tokens: FAKE_USAGE.input },
  });
}
