/** The tree that each sender leaves, as `outlineOf()` writes it. */

const CHAT = 'llm_call gpt-4.1-mini openai';
const AGENT = 'agent gpt-4.1-mini openai';
const EMBEDDING = 'embedding text-embedding-3-small openai';
const ALL = '11+7 (4 cached, 3 reasoning)';
const CACHED = '11+7 (4 cached)';
/** What the gateway records of a call that went through it. */
const RECORDED = `gpt-4.1-mini: ${CHAT} ${CACHED} $`;

/** Streams have no counts, and a call that fails leaves no span: what is below it shows at the top. */
const OPENINFERENCE = `
openinference: span
  chat: span
    OpenAI Chat Completions: ${CHAT} ${ALL} $
      POST: http
  stream: span
    OpenAI Chat Completions: ${CHAT}
      POST: http
  tool: span
    OpenAI Chat Completions: ${CHAT} 11+7 $
      POST: http
    OpenAI Chat Completions: ${CHAT} 11+7 $
      POST: http
  error: span failed
  responses: span
    OpenAI Responses: ${CHAT} ${ALL} $
      POST: http
  embeddings: span
    OpenAI Embeddings: ${EMBEDDING}
      POST: http
  gateway: span
    OpenAI Chat Completions: ${CHAT} [${CACHED}]
      POST: http
        ${RECORDED}
POST: http failed`;

/** Cached tokens are not reported. */
const OPENTELEMETRY = `
opentelemetry: span
  chat: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  stream: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  tool: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  error: span failed
    chat gpt-4.1-mini: ${CHAT} failed
      POST: http failed
  responses: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  embeddings: span
    embeddings text-embedding-3-small: ${EMBEDDING} 11+- $
      POST: http
  gateway: span
    chat gpt-4.1-mini: ${CHAT} [11+7]
      POST: http
        ${RECORDED}`;

/** Embeddings are not instrumented either. */
const TRACELOOP = `
traceloop: span
  chat: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  stream: span
    chat gpt-4.1-mini: ${CHAT}
      POST: http
  tool: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  error: span failed
  responses: span
    chat gpt-4.1-mini: ${CHAT} 11+7 $
      POST: http
  embeddings: span
    POST: http
  gateway: span
    chat gpt-4.1-mini: ${CHAT} [11+7]
      POST: http
        ${RECORDED}
POST: http failed`;

const AI_SDK_6 = `
ai-sdk-6: span
  chat: span
    ai.generateText: ${AGENT} [${ALL}]
      ai.generateText.doGenerate: ${CHAT} ${ALL} $
        POST: http
  stream: span
    ai.streamText: ${AGENT} [${CACHED}]
      ai.streamText.doStream: ${CHAT} ${CACHED} $
        POST: http
  tool: span
    ai.generateText: ${AGENT} [22+14]
      ai.generateText.doGenerate: ${CHAT} 11+7 $
        POST: http
      ai.toolCall: tool_call get_tide call_fake0001
      ai.generateText.doGenerate: ${CHAT} 11+7 $
        POST: http
  error: span failed
    ai.generateText: ${AGENT} failed
      ai.generateText.doGenerate: ${CHAT} failed
        POST: http failed
  responses: span
    ai.generateText: ${AGENT} [${ALL}]
      ai.generateText.doGenerate: ${CHAT} ${ALL} $
        POST: http
  embeddings: span
    ai.embedMany: ${EMBEDDING} [11+-]
      ai.embedMany.doEmbed: ${EMBEDDING} 11+- $
        POST: http
  embedding: span
    ai.embed: ${EMBEDDING} [11+-]
      ai.embed.doEmbed: ${EMBEDDING} 11+- $
        POST: http
  gateway: span
    ai.generateText: ${AGENT} [${CACHED}]
      ai.generateText.doGenerate: ${CHAT} [${CACHED}]
        POST: http
          ${RECORDED}`;

const agentOf7 = (counts: string, ...calls: string[]): string => `
    invoke_agent gpt-4.1-mini: ${AGENT} ${counts}${calls.join('')}`;
const stepOf7 = (number: number, counts: string, ...below: string[]): string => `
      step ${number}: step${counts === 'failed' ? ' failed' : ''}
        chat gpt-4.1-mini: ${CHAT} ${counts}
          POST: http${counts === 'failed' ? ' failed' : ''}${below.join('')}`;
const embeddingOf7 = `
    embeddings text-embedding-3-small: ${EMBEDDING}
      embeddings text-embedding-3-small: ${EMBEDDING} 11+- $
    POST: http`;

const AI_SDK_7 = `
ai-sdk-7: span
  chat: span${agentOf7(`[${ALL}]`, stepOf7(1, `${ALL} $`))}
  stream: span${agentOf7(`[${CACHED}]`, stepOf7(1, `${CACHED} $`))}
  tool: span${agentOf7(
    '[22+14]',
    stepOf7(1, '11+7 $', '\n        execute_tool get_tide: tool_call get_tide call_fake0001'),
    stepOf7(2, '11+7 $'),
  )}
  error: span failed${agentOf7('failed', stepOf7(1, 'failed'))}
  responses: span${agentOf7(`[${ALL}]`, stepOf7(1, `${ALL} $`))}
  embeddings: span${embeddingOf7}
  embedding: span${embeddingOf7}
  gateway: span${agentOf7(`[${CACHED}]`, stepOf7(1, `[${CACHED}]`, `\n            ${RECORDED}`))}`;

const LANGFUSE = `
langfuse: span
  chat: span
    OpenAI.chat: ${CHAT} ${ALL} $
  stream: span
    OpenAI.chat: ${CHAT} ${CACHED} $
  tool: span
    OpenAI.chat: ${CHAT} 11+7 $
    OpenAI.chat: ${CHAT} 11+7 $
  error: span
    OpenAI.chat: ${CHAT} failed
  responses: span
    OpenAI.responses: ${CHAT} ${ALL} $
  embeddings: span
    OpenAI.embeddings: ${EMBEDDING}
  get_tide: tool_call get_tide null failed`;

/** Embeddings are not wrapped; a chain's model is that of the answer which it gave back. */
const LANGSMITH = `
langsmith: chain langchain
  chat: chain gpt-4.1-mini langchain
    ChatOpenAI: ${CHAT} ${ALL} $
  stream: ${CHAT} ${CACHED} $
  tool: chain gpt-4.1-mini langchain
    ChatOpenAI: ${CHAT} 11+7 $
    ChatOpenAI: ${CHAT} 11+7 $
  error: chain langchain failed
    ChatOpenAI: ${CHAT} failed
  responses: chain gpt-4.1-mini langchain
    ChatOpenAI: ${CHAT} ${ALL} $
  embeddings: chain text-embedding-3-small langchain
  get_tide: tool_call get_tide null langchain`;

/**
 * What LangSmith's client exports of a stream whose end goes with another batch than its begin, as on a busy machine: in one
 * batch the call is written on the span of the chain.
 */
export const LANGSMITH_IN_BATCHES = LANGSMITH.replace(/stream: (.*)/, 'stream: chain langchain\n    ChatOpenAI: $1');

export const EXPECTED_OUTLINES: Readonly<Record<string, string>> = {
  openinference: OPENINFERENCE,
  opentelemetry: OPENTELEMETRY,
  traceloop: TRACELOOP,
  'ai-sdk-6': AI_SDK_6,
  'ai-sdk-7': AI_SDK_7,
  langfuse: LANGFUSE,
  langsmith: LANGSMITH,
};
