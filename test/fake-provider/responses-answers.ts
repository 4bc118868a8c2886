import { jsonAnswer, sseAnswer, tokensOf, type FakeAnswer, type FakeCall } from './answer.ts';
import { FAKE_USAGE } from './usage.ts';

const ARGUMENTS = '{"harbour":"長崎"}';

/** OpenAI's Responses API. */
export function responsesAnswer(call: FakeCall): FakeAnswer {
  const item = call.scenario.has('tools') ? functionCall(ARGUMENTS, 'completed') : message(call.text);
  const whole = response(call, 'completed', [item]);
  if (call.body['stream'] !== true) return jsonAnswer(whole);
  const begun = response(call, 'in_progress', []);
  const place = { item_id: item.id, output_index: 0 };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...(call.scenario.has('tools') ? functionCallEvents(place) : messageEvents(call.text, place)),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  return sseAnswer(
    events.map((event, position) => ({ ...event, sequence_number: position })),
    true,
  );
}

type Place = { item_id: string; output_index: number };

function messageEvents(text: string, place: Place) {
  const at = { ...place, content_index: 0 };
  const part = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });
  return [
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message(''), status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: part('') },
    ...tokensOf(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: part(text) },
  ];
}

const functionCallEvents = (place: Place) => [
  { type: 'response.output_item.added', output_index: 0, item: functionCall('', 'in_progress') },
  { type: 'response.function_call_arguments.delta', ...place, delta: ARGUMENTS.slice(0, 6) },
  { type: 'response.function_call_arguments.delta', ...place, delta: ARGUMENTS.slice(6) },
  { type: 'response.function_call_arguments.done', ...place, name: 'get_tide', arguments: ARGUMENTS },
];

const message = (text: string) => ({
  id: 'msg_fake0001',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
});

const functionCall = (text: string, status: string) => ({
  id: 'fc_fake0001',
  type: 'function_call',
  status,
  call_id: 'call_fake0001',
  name: 'get_tide',
  arguments: text,
});

function response({ body, scenario }: FakeCall, status: string, output: object[]) {
  const usage = {
    input_tokens: FAKE_USAGE.input,
    input_tokens_details: { cached_tokens: scenario.has('cached') ? FAKE_USAGE.cached : 0 },
    output_tokens: FAKE_USAGE.output,
    output_tokens_details: { reasoning_tokens: scenario.has('reasoning') ? FAKE_USAGE.reasoning : 0 },
    total_tokens: FAKE_USAGE.input + FAKE_USAGE.output,
  };
  return {
    id: 'resp_fake0001',
    object: 'response',
    created_at: 1794000000,
    status,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    model: body['model'],
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    top_p: 1,
    metadata: {},
    usage: status === 'completed' ? usage : null,
  };
}
