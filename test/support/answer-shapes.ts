/** One answer in the forms in which SDKs, frameworks and senders record it, and a conversation that asks for it. */

const THOUGHT = 'They ask for the tide.';
const message = (text: string) => ({ role: 'assistant', content: text });
const completion = (text: string) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_764_000_000, model: 'gpt-5.1' },
  choices: [{ index: 0, message: { ...message(text), refusal: null }, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 25_012, completion_tokens: 9, total_tokens: 25_021 },
});

/** Outputs of a call of a model by their form, each saying a text. */
export const ANSWER_SHAPES: Readonly<Record<string, (text: string) => unknown>> = {
  'a text': (text) => text,
  'the form of the gateway': (text) => ({ text, finish_reason: 'stop' }),
  'a message': message,
  'a list of messages': (text) => [message(text)],
  'a completion of OpenAI': completion,
  'a message of Anthropic': (text) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: 'end_turn' },
    content: [
      { type: 'thinking', thinking: THOUGHT, signature: 'c2ln' },
      { type: 'text', text },
    ],
    usage: { input_tokens: 25_012, output_tokens: 9 },
  }),
  'an answer of Gemini': (text) => ({
    candidates: [
      { content: { role: 'model', parts: [{ text: THOUGHT, thought: true }, { text }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 25_012 },
  }),
  'an answer of Bedrock': (text) => ({
    output: {
      message: { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: THOUGHT } } }, { text }] },
    },
    stopReason: 'end_turn',
    usage: { inputTokens: 25_012 },
  }),
  'messages of the GenAI conventions': (text) => [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: THOUGHT },
        { type: 'text', content: text },
      ],
      finish_reason: 'stop',
    },
  ],
  'a response of OpenAI': (text) => ({
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5.1', text: { format: { type: 'text' } } },
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: THOUGHT }] },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] },
    ],
  }),
  'a chat of Ollama': (text) => ({ model: 'llama3', message: { ...message(text), thinking: THOUGHT }, done: true }),
  'a generation of Ollama': (text) => ({ model: 'llama3', response: text, done: true, context: [1, 2] }),
  'a result of LangChain': (text) => ({
    generations: [[{ text, message: langChainMessage(text), generation_info: { finish_reason: 'stop' } }]],
    llm_output: { model_name: 'gpt-5.1' },
  }),
  'a message of LangChain': (text) => ({ type: 'ai', content: text, tool_calls: [], id: 'run-1' }),
  'a state of LangGraph': (text) => ({ messages: [{ type: 'human', content: 'Hello' }, langChainMessage(text)] }),
  'a result of the AI SDK': (text) => ({
    ...{ text, reasoning: [{ type: 'reasoning', text: THOUGHT }], toolCalls: [], finishReason: 'stop' },
    response: { id: 'r', messages: [{ role: 'assistant', content: [{ type: 'text', text }] }] },
  }),
  'a completion as JSON text': (text) => JSON.stringify(completion(text)),
};

function langChainMessage(text: string) {
  const id = ['langchain', 'schema', 'messages', 'AIMessage'];
  return { lc: 1, type: 'constructor', id, kwargs: { content: text, tool_calls: [], additional_kwargs: {} } };
}

/** A call of the tool `tides` with `{"at": "noon"}` by the form in which it is recorded. */
export const CALL_SHAPES: Readonly<Record<string, unknown>> = {
  'the form of the gateway': { text: '', finish_reason: 'tool_calls', tool_calls: [ownCall()] },
  'a message of OpenAI': {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tides', arguments: '{"at":"noon"}' } }],
  },
  'blocks of Anthropic': {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c1', name: 'tides', input: { at: 'noon' } }],
  },
  'an answer of Gemini': {
    candidates: [
      { content: { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'tides', args: { at: 'noon' } } }] } },
    ],
  },
  'an answer of Bedrock': {
    output: {
      message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'tides', input: { at: 'noon' } } }] },
    },
  },
  'messages of the GenAI conventions': [{ role: 'assistant', parts: [{ type: 'tool_call', ...ownCall() }] }],
  'a response of OpenAI': {
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'tides', arguments: '{"at":"noon"}' },
    ],
  },
  'a message of LangChain': {
    type: 'ai',
    content: [{ type: 'tool_use', id: 'c1', name: 'tides', input: { at: 'noon' } }],
    tool_calls: [{ id: 'c1', name: 'tides', args: { at: 'noon' }, type: 'tool_call' }],
  },
  'a result of the AI SDK': {
    text: '',
    toolCalls: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'tides', input: { at: 'noon' } }],
  },
};

function ownCall() {
  return { id: 'c1', name: 'tides', arguments: { at: 'noon' } };
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** About 25,000 tokens of rules. */
const RULES = Array.from(
  { length: 1_500 },
  (_, n) => `Rule ${n}: name the harbour, the day and the height of the tide.`,
);

/** The conversation of an agent with a long prompt, an image and a tool, which ends with a question. */
export const askedFor = (question: string) => [
  { role: 'system', content: RULES.join('\n') },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Which harbour is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c0', type: 'function', function: { name: 'harbours', arguments: '{"near":"Hull"}' } }],
  },
  { role: 'tool', tool_call_id: 'c0', content: '{"name":"Albert Dock"}' },
  { role: 'assistant', content: 'It is Albert Dock.' },
  { role: 'user', content: question },
];
