import { errorMessage, jsonAnswer, sseAnswer, tokensOf, type FakeAnswer, type FakeCall } from './answer.ts';
import { FAKE_USAGE } from './usage.ts';

const GET_TIDE = { name: 'get_tide', input: { harbour: '長崎' } };
/** What Claude Code can run. */
const BASH = { name: 'Bash', input: { command: 'echo 11:20', description: 'Shows the tide' } };
const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API. */
export function anthropicAnswer(call: FakeCall): FakeAnswer {
  if (call.path.endsWith('/count_tokens')) return jsonAnswer({ input_tokens: FAKE_USAGE.input });
  const tools = call.scenario.has('tools');
  const content = [
    ...(call.scenario.has('reasoning') ? [{ type: 'thinking', thinking: 'Hm, tides.', signature: 'fake' }] : []),
    tools ? { type: 'tool_use', id: 'toolu_fake0001', ...toolFor(call) } : { type: 'text', text: call.text },
  ];
  const stopReason = tools ? 'tool_use' : 'end_turn';
  if (call.body['stream'] !== true) return jsonAnswer(message(call, content, stopReason, FAKE_USAGE.output));
  return sseAnswer(
    [
      { type: 'message_start', message: message(call, [], null, 1) },
      { type: 'ping' },
      ...content.flatMap((block, index) => blockEvents(block, index, call.text)),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: usageOf(call, FAKE_USAGE.output),
      },
      { type: 'message_stop' },
    ],
    true,
  );
}

/** The tool that is called: Bash where it is offered. */
function toolFor({ body }: FakeCall): { name: string; input: object } {
  const offered = (Array.isArray(body['tools']) ? body['tools'] : []) as { name?: unknown }[];
  return offered.some(({ name }) => name === BASH.name) ? BASH : GET_TIDE;
}

export const anthropicError = (status: number, call: FakeCall): FakeAnswer =>
  jsonAnswer(
    {
      type: 'error',
      error: { type: ERROR_TYPES[status] ?? 'api_error', message: errorMessage(status, call) },
      request_id: 'req_fake0001',
    },
    status,
  );

function blockEvents(block: { type: string; input?: object }, index: number, text: string) {
  const input = JSON.stringify(block.input ?? {});
  const delta = (type: string, member: string, value: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type, [member]: value },
  });
  const [begun, deltas] =
    block.type === 'thinking'
      ? [
          { type: 'thinking', thinking: '', signature: '' },
          [delta('thinking_delta', 'thinking', 'Hm, tides.'), delta('signature_delta', 'signature', 'fake')],
        ]
      : block.type === 'tool_use'
        ? [
            { ...block, input: {} },
            ['', input.slice(0, 6), input.slice(6)].map((json) => delta('input_json_delta', 'partial_json', json)),
          ]
        : [{ type: 'text', text: '' }, tokensOf(text).map((token) => delta('text_delta', 'text', token))];
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
}

/** Input tokens add up to the same total with and without cache, as the recording counts them. */
function usageOf({ scenario }: FakeCall, outputTokens: number) {
  const [read, written] = scenario.has('cached') ? [FAKE_USAGE.cached, FAKE_USAGE.cacheWritten] : [0, 0];
  return {
    input_tokens: FAKE_USAGE.input - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: outputTokens,
    ...(scenario.has('reasoning') && { output_tokens_details: { thinking_tokens: FAKE_USAGE.reasoning } }),
  };
}

const message = (call: FakeCall, content: object[], stopReason: string | null, outputTokens: number) => ({
  id: 'msg_fake0001',
  type: 'message',
  role: 'assistant',
  model: call.body['model'],
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage: { ...usageOf(call, outputTokens), service_tier: 'standard' },
});
