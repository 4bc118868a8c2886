import { listOf, objectOf, textOf, without, type JsonObject, type ToolCall } from '@spandrel/plugin-api';
import type { CassetteEvent } from './entry.js';

/** A choice as spans hold it (docs/spec/recording.md#answers-and-streams). */
export interface Said {
  text: string | null;
  finish_reason: string | null;
  tool_calls?: ToolCall[];
  reasoning?: string;
}

interface SaidFacts extends Said {
  id: string;
  model: string;
  /** In seconds. */
  created: number;
  choices: readonly Said[];
  tokens: Record<'input' | 'output' | 'cached' | 'written', number>;
  asked: JsonObject;
}

/** How an endpoint's calls are written: the way back from what its plugin reads of them. */
export interface SpanFormat {
  /** @returns the members of a request's body that its input is read of. */
  request(input: unknown): JsonObject;
  answer(facts: SaidFacts): JsonObject;
  events(facts: SaidFacts): CassetteEvent[];
}

/** The system prompt that stands before messages, as the member that it came in. */
function splitSystem(input: unknown, member: string): { system: JsonObject; messages: JsonObject[] } {
  const messages = listOf(input).map(objectOf);
  const { role, content, ...more } = messages[0] ?? {};
  if (role !== 'system' || Object.keys(more).length > 0) return { system: {}, messages };
  return { system: { [member]: content }, messages: messages.slice(1) };
}

function chatOf({ id, model, created, choices }: SaidFacts, object: string, member: string): JsonObject {
  return {
    ...{ id: `chatcmpl-${id}`, object, created, model },
    choices: choices.map(({ text, finish_reason, tool_calls: calls = [], reasoning }, index) => {
      const functions = calls.map(({ id: callId, name, arguments: given }, at) => ({
        ...(member === 'delta' && { index: at }),
        ...{ id: callId, type: 'function', function: { name, arguments: given } },
      }));
      const message = {
        ...{ role: 'assistant', content: calls.length > 0 ? text || null : text, refusal: null },
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
        ...(calls.length > 0 && { tool_calls: functions }),
      };
      return { index, [member]: message, logprobs: null, finish_reason };
    }),
  };
}

const chatUsage = ({ tokens: { input, output, cached } }: SaidFacts): JsonObject => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  prompt_tokens_details: { cached_tokens: cached },
});

const chat: SpanFormat = {
  request: (messages) => ({ messages }),
  answer: (facts) => ({ ...chatOf(facts, 'chat.completion', 'message'), usage: chatUsage(facts) }),
  events(facts) {
    const chunk = chatOf(facts, 'chat.completion.chunk', 'delta');
    const asksForUsage = objectOf(facts.asked['stream_options'])['include_usage'] === true;
    const usage = asksForUsage ? [JSON.stringify({ ...chunk, choices: [], usage: chatUsage(facts) })] : [];
    return [JSON.stringify(chunk), ...usage, '[DONE]'];
  },
};

/** An item of a response's input, of the message that a span has of it. */
function itemOf(message: JsonObject): JsonObject {
  const { role: _role, content, ...item } = message;
  const type = textOf(item['type']);
  if (type === null) return message;
  return { ...item, ...(type.endsWith('_output') ? { output: content } : content !== null && { content }) };
}

function responseOf({ id, model, created, asked, tokens, ...said }: SaidFacts): JsonObject & { output: JsonObject[] } {
  const { text, finish_reason: reason, tool_calls: calls = [], reasoning } = said;
  const isWhole = reason === 'completed';
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  return {
    ...{ tools: [], tool_choice: 'auto', parallel_tool_calls: true, ...without(asked, 'stream', 'include') },
    ...{ id: `resp_${id}`, object: 'response', created_at: created, model, error: null },
    ...{ status: isWhole ? 'completed' : 'incomplete', incomplete_details: isWhole ? null : { reason } },
    output: [
      ...(reasoning
        ? [{ id: `rs_${id}`, type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] }]
        : []),
      ...(text ? [{ id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: [part] }] : []),
      ...calls.map(({ id: callId, name, arguments: given }, index) => ({
        ...{ id: `fc_${index}_${id}`, type: 'function_call', status: 'completed', call_id: callId },
        ...{ name, arguments: given },
      })),
    ],
    usage: {
      ...{ input_tokens: tokens.input, output_tokens: tokens.output, total_tokens: tokens.input + tokens.output },
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

/** The events of one item of a response; reasoning comes whole. */
function itemEvents(item: JsonObject, index: number): JsonObject[] {
  const at = { item_id: item['id'], output_index: index };
  const added = { type: 'response.output_item.added', output_index: index };
  const done = { type: 'response.output_item.done', output_index: index, item };
  if (item['type'] === 'function_call') {
    const delta = { type: 'response.function_call_arguments.delta', ...at, delta: item['arguments'] };
    return [{ ...added, item: { ...item, status: 'in_progress', arguments: '' } }, delta, done];
  }
  if (item['type'] === 'reasoning') return [{ ...added, item }, done];
  const part = objectOf(listOf(item['content'])[0]);
  const { text } = part;
  const place = { ...at, content_index: 0 };
  return [
    { ...added, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    done,
  ];
}

const named = (events: JsonObject[]): CassetteEvent[] =>
  events.map((event) => ({ event: String(event['type']), data: JSON.stringify(event) }));

const responses: SpanFormat = {
  request(input) {
    const { system, messages: items } = splitSystem(input, 'instructions');
    return { ...system, input: items.map(itemOf) };
  },
  answer: responseOf,
  events(facts) {
    const response = responseOf(facts);
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
      ...response.output.flatMap(itemEvents),
      { type: `response.${String(response['status'])}`, response },
    ];
    return named(events.map((event, position) => ({ ...event, sequence_number: position })));
  },
};

function messageOf({ id, model, tokens, ...said }: SaidFacts): JsonObject & { content: JsonObject[] } {
  const { text, finish_reason: reason, tool_calls: calls = [], reasoning } = said;
  return {
    ...{ id: `msg_${id}`, type: 'message', role: 'assistant', model },
    content: [
      ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: '' }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ id: callId, name, arguments: input }) => ({ type: 'tool_use', id: callId, name, input })),
    ],
    ...{ stop_reason: reason, stop_sequence: null },
    usage: {
      ...{ input_tokens: tokens.input - tokens.cached - tokens.written, output_tokens: tokens.output },
      ...{ cache_read_input_tokens: tokens.cached, cache_creation_input_tokens: tokens.written },
    },
  };
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const type = String(block['type']);
  const [begun, delta] =
    type === 'tool_use'
      ? [{ input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }]
      : [{ [type]: '' }, { type: `${type}_delta`, [type]: block[type] }];
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...begun } },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}

const messages: SpanFormat = {
  request(input) {
    const { system, messages: others } = splitSystem(input, 'system');
    return { ...system, messages: others };
  },
  answer: messageOf,
  events(facts) {
    const message = messageOf(facts);
    const { stop_reason, stop_sequence, usage } = message;
    return named([
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...message.content.flatMap(blockEvents),
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
      { type: 'message_stop' },
    ]);
  },
};

const ollama: SpanFormat = {
  request: chat.request,
  answer({ model, created, tokens, text, finish_reason: reason, tool_calls: calls = [], reasoning }) {
    const functions = calls.map(({ id, name, arguments: given }) => ({
      ...(id && { id }),
      function: { name, arguments: given },
    }));
    return {
      ...{ model, created_at: new Date(created * 1_000).toISOString() },
      message: {
        ...{ role: 'assistant', content: text ?? '' },
        ...(reasoning && { thinking: reasoning }),
        ...(calls.length > 0 && { tool_calls: functions }),
      },
      ...{ done: true, done_reason: reason, prompt_eval_count: tokens.input, eval_count: tokens.output },
    };
  },
  events: (facts) => [JSON.stringify(ollama.answer(facts))],
};

/** By the names of endpoints; others have answers that spans do not hold. */
export const FORMATS: Readonly<Record<string, SpanFormat>> = {
  'chat.completions': chat,
  responses,
  messages,
  chat: ollama,
};
