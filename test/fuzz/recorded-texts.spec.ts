import { describe, expect, it } from '@jest/globals';
import type { Endpoint, Provider, RecordedAnswer } from '@spandrel/plugin-api';
import * as fc from 'fast-check';
import anthropic from '../../plugins/providers/anthropic/index.js';
import ollama from '../../plugins/providers/ollama/index.js';
import openai from '../../plugins/providers/openai/index.js';

/** Members of answers whose texts are not recorded (docs/spec/recording.md#what-is-left-out). */
const LEFT_OUT = new Set([
  'annotations',
  'citations',
  'data',
  'encrypted_content',
  'id',
  'item_id',
  'logprobs',
  'object',
  'output',
  'outputs',
  'result',
  'results',
  'role',
  'signature',
  'type',
]);
/** Blocks and items that are not recorded, by their type. */
const LEFT_OUT_TYPES = /_result$|_output$|^(compaction|redacted_thinking|mcp_list_tools|image_url)$/;

/** A text that stands nowhere else. */
const text = fc.tuple(fc.uuid(), fc.string({ unit: 'grapheme', maxLength: 8 })).map((parts) => parts.join(' '));
const json = fc.record({ query: text, days: fc.nat() });

/** The texts of an answer that are to be found again. */
function* expectedTexts(value: unknown, member = ''): Generator<string> {
  if (LEFT_OUT.has(member)) return;
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  const { type } = value as { type?: unknown };
  if (typeof type === 'string' && LEFT_OUT_TYPES.test(type)) return;
  for (const [name, item] of Object.entries(value)) yield* expectedTexts(item, Array.isArray(value) ? member : name);
}

function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* leavesOf(item);
}

function assertFound(answer: unknown, recorded: RecordedAnswer): void {
  const leaves = [...leavesOf(recorded)].join('\n');
  const lost = [...expectedTexts(answer)].filter((each) => !leaves.includes(each));
  expect(lost).toEqual([]);
}

async function endpointOf(plugin: { setup(deps: never, config: never): unknown }, path: string): Promise<Endpoint> {
  const provider = (await plugin.setup({} as never, {} as never)) as Provider;
  return provider.endpoint({ method: 'POST', path, headers: {} })!;
}

const toolCall = fc.oneof(
  fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
  fc.record({ id: text, type: fc.constant('custom'), custom: fc.record({ name: text, input: text }) }),
  fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: json }) }),
);
const chatContent = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('text'), text, annotations: fc.constant([{ url: 'left out' }]) }),
      fc.record({ type: fc.constant('refusal'), refusal: text }),
      fc.record({ type: fc.constant('thinking'), thinking: fc.array(fc.record({ type: fc.constant('text'), text })) }),
    ),
  ),
);
const chatReasoning = fc
  .constantFrom('reasoning', 'reasoning_content', 'thinking')
  .chain((member) => text.map((thought) => ({ [member]: thought })));
const chatMessage = fc
  .tuple(
    fc.oneof(
      fc.record({ content: chatContent }),
      fc.record({ content: fc.constant(null), refusal: text }),
      fc.record({ content: fc.constant(null), audio: fc.record({ id: text, data: text, transcript: text }) }),
    ),
    fc.record({ tool_calls: fc.array(toolCall, { maxLength: 3 }) }, { requiredKeys: [] }),
  )
  .map(([said, called]) => ({ role: 'assistant', ...said, ...called }));

describe('every text of an answer is recorded, or named as left out', () => {
  it('in chat completions', async () => {
    const endpoint = await endpointOf(openai, '/v1/chat/completions');
    const choice = fc.record({ message: chatMessage, finish_reason: text });
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 3 }), (choices) => {
        assertFound({ choices }, endpoint.readAnswer({ choices }));
      }),
    );
  });

  it('in reasoning of chat completions', async () => {
    const endpoint = await endpointOf(openai, '/v1/chat/completions');
    fc.assert(
      fc.property(chatReasoning, text, (reasoning, content) => {
        const choices = [{ message: { content, ...reasoning } }];
        assertFound({ choices }, endpoint.readAnswer({ choices }));
      }),
    );
  });

  it('in streams of chat completions', async () => {
    const endpoint = await endpointOf(openai, '/v1/chat/completions');
    const delta = fc.oneof(
      fc.record({ content: chatContent }),
      chatReasoning,
      fc.record({ tool_calls: fc.array(toolCall, { maxLength: 2 }) }),
    );
    const choice = fc.record({ index: fc.nat(2), delta });
    fc.assert(
      fc.property(fc.array(fc.record({ choices: fc.array(choice, { maxLength: 2 }) })), (chunks) => {
        const reader = endpoint.readStream();
        for (const chunk of chunks) reader.push({ data: JSON.stringify(chunk) });
        assertFound(chunks, reader.answer());
      }),
    );
  });

  it('in completions', async () => {
    const endpoint = await endpointOf(openai, '/v1/completions');
    fc.assert(
      fc.property(fc.array(fc.record({ text, finish_reason: text })), (choices) => {
        assertFound({ choices }, endpoint.readAnswer({ choices }));
      }),
    );
  });

  it('in responses, whole and streamed', async () => {
    const endpoint = await endpointOf(openai, '/v1/responses');
    const part = fc.oneof(
      fc.record({ type: fc.constant('output_text'), text, annotations: fc.constant([{ url: 'left out' }]) }),
      fc.record({ type: fc.constant('output_audio'), data: text, transcript: text }),
    );
    const named = (type: string, members: Record<string, fc.Arbitrary<unknown>>) =>
      fc.record({ type: fc.constant(type), id: text, ...members });
    const item = fc.oneof(
      named('message', { role: fc.constant('assistant'), content: fc.array(part) }),
      named('reasoning', { summary: fc.array(fc.record({ type: fc.constant('summary_text'), text })) }),
      named('function_call', { name: text, arguments: text }),
      named('custom_tool_call', { name: text, input: text }),
      named('web_search_call', { action: fc.record({ type: fc.constant('search'), query: text }) }),
      named('file_search_call', { queries: fc.array(text), results: fc.array(fc.record({ text })) }),
      named('code_interpreter_call', { code: text, outputs: fc.array(fc.record({ logs: text })) }),
      named('apply_patch_call', { operation: json }),
      named('shell_call', { action: fc.record({ commands: fc.array(text) }) }),
      named('mcp_call', { name: text, server_label: text, arguments: text, output: text }),
      named('mcp_approval_request', { name: text, server_label: text, arguments: text }),
      named('image_generation_call', { result: text, revised_prompt: text }),
      named('function_call_output', { output: text }),
      named('of_a_later_version', { wish: text, more: json }),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (output) => {
        assertFound({ output }, endpoint.readAnswer({ status: 'completed', output }));
        const reader = endpoint.readStream();
        output.forEach((each, index) => {
          reader.push({
            data: JSON.stringify({ type: 'response.output_item.done', output_index: index, item: each }),
          });
        });
        assertFound({ output }, reader.answer());
      }),
    );
  });

  it('in messages, whole and streamed', async () => {
    const endpoint = await endpointOf(anthropic, '/v1/messages');
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text, citations: fc.constant([{ cited_text: 'left out' }]) }),
      fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
      fc.record({ type: fc.constant('redacted_thinking'), data: text }),
      fc.record({ type: fc.constant('tool_use'), id: text, name: text, input: json }),
      fc.record({ type: fc.constant('server_tool_use'), id: text, name: text, input: json }),
      fc.record({ type: fc.constant('mcp_tool_use'), id: text, name: text, server_name: text, input: json }),
      fc.record({ type: fc.constant('web_search_tool_result'), content: fc.array(fc.record({ title: text })) }),
      fc.record({ type: fc.constant('compaction'), content: text }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), (content) => {
        assertFound({ content }, endpoint.readAnswer({ content }));
        const reader = endpoint.readStream();
        content.forEach((each, index) => {
          reader.push({ data: JSON.stringify({ type: 'content_block_start', index, content_block: each }) });
        });
        assertFound({ content }, reader.answer());
      }),
    );
  });

  it('of Ollama, whole and streamed', async () => {
    const endpoint = await endpointOf(ollama, '/api/chat');
    const call = fc.record({ function: fc.record({ name: text, arguments: json }) });
    const message = fc.record(
      { role: fc.constant('assistant'), content: text, thinking: text, tool_calls: fc.array(call, { maxLength: 2 }) },
      { requiredKeys: ['content'] },
    );
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
        const reader = endpoint.readStream();
        for (const each of messages) {
          assertFound(each, endpoint.readAnswer({ message: each }));
          reader.push({ data: JSON.stringify({ message: each }) });
        }
        assertFound(messages, reader.answer());
      }),
    );
  });

  it.each([
    ['openai', openai],
    ['anthropic', anthropic],
    ['ollama', ollama],
  ])('and of an error: %s', async (_name, plugin) => {
    const provider = (await plugin.setup({ logger: { info() {}, warn() {}, error() {} } }, {})) as Provider;
    const members = fc.constantFrom('message', 'Message', 'msg', 'detail', 'error');
    fc.assert(
      fc.property(members, text, (member, message) => {
        for (const body of [
          { [member]: message },
          { error: { [member]: message } },
          [{ error: { [member]: message } }],
        ]) {
          expect(provider.errorMessage(body)).toBe(message);
        }
      }),
    );
  });
});
