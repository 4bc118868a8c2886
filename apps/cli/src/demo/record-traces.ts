import type { SpanResource, TraceResource } from '@spandrel/contract';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS, DEMO_METADATA } from './demo-marks.js';
import { FAKE_MODELS } from './fake-model/fake-models.js';
import type { GatewayClient } from './gateway-client.js';
import { poll } from './poll.js';

const { tag, traceIdPrefix, sessionId, userId } = DEMO_MARKS;

/** Ids of the traces, in the order in which they are made. */
export const DEMO_TRACES = {
  question: `${traceIdPrefix}question`,
  followUp: `${traceIdPrefix}follow-up`,
  wrongAnswer: `${traceIdPrefix}wrong-answer`,
  weather: `${traceIdPrefix}weather-agent`,
  search: `${traceIdPrefix}search`,
  tooLong: `${traceIdPrefix}too-long`,
  unknownModel: `${traceIdPrefix}unknown-model`,
} as const;

const CHAT = '/v1/chat/completions';

/** What a chat request of the demo carries beside its messages; `metadata` is a member of OpenAI's. */
const REQUEST = { model: FAKE_MODELS.chat, temperature: 0, metadata: { demo: 'spandrel demo, fake model' } };

/** The capture rule asks for the other model, so that it takes the questions alone. */
const AGENT = { ...REQUEST, model: FAKE_MODELS.agent };

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

/** Records the traces of the demo: calls go through the gateway, the spans around them to the API. */
export class RecordTraces {
  constructor(
    private readonly api: ApiClient,
    private readonly gateway: GatewayClient,
  ) {}

  /** @returns once all spans have arrived: the gateway delivers them behind its answers. */
  async execute(): Promise<void> {
    await this.conversation();
    await this.weatherAgent();
    await this.search();
    await this.failures();
  }

  /** Three questions of one session; the second one streamed, the third one answered wrongly. */
  private async conversation(): Promise<void> {
    const session = { session_id: sessionId, user_id: userId };
    const messages = [user('What is the capital of France?')];
    const first = await this.startTrace(DEMO_TRACES.question, 'a question', session);
    await this.gateway.call(CHAT, { ...REQUEST, messages }, { traceId: first });
    await this.arrival(first, 1);

    messages.push(assistant('Paris'), user('And the capital of Kenya?'));
    const second = await this.startTrace(DEMO_TRACES.followUp, 'a streamed answer', session);
    const streamed = { stream: true, stream_options: { include_usage: true } };
    await this.gateway.call(CHAT, { ...REQUEST, messages, ...streamed }, { traceId: second });
    await this.arrival(second, 1);

    messages.push(assistant('Nairobi'), user('And the capital of Australia?'));
    const third = await this.startTrace(DEMO_TRACES.wrongAnswer, 'a wrong answer', session);
    await this.gateway.call(CHAT, { ...REQUEST, messages }, { traceId: third });
    await this.arrival(third, 1);
  }

  /** A span of the program's own around two calls and the tool that the first of them asks for. */
  private async weatherAgent(): Promise<void> {
    const traceId = await this.startTrace(DEMO_TRACES.weather, 'an agent with a tool', { user_id: userId });
    const agent = await this.startSpan(traceId, 'agent', { type: 'custom', kind: 'agent', attributes: {} });
    const place = { traceId, parentId: agent };
    const messages: object[] = [user('How is the weather in the capital of Japan?')];
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    await this.gateway.call(CHAT, { ...AGENT, messages, tools }, place);

    const called = { id: 'call_spandrel_demo', type: 'function' };
    const tool = { name: 'get_weather', arguments: '{"city":"Tokyo"}' };
    const toolSpan = await this.startSpan(traceId, tool.name, { type: 'tool_call', name: tool.name }, agent, {
      city: 'Tokyo',
    });
    await this.complete(toolSpan, { weather: 'sunny, made up like all of this' });

    messages.push({ role: 'assistant', content: null, tool_calls: [{ ...called, function: tool }] });
    messages.push({ role: 'tool', tool_call_id: called.id, content: 'sunny, made up like all of this' });
    await this.gateway.call(CHAT, { ...AGENT, messages, tools }, place);
    await this.complete(agent, { text: 'sunny, made up like all of this' });
    await this.arrival(traceId, 4);
  }

  /** A vector for a question, a search with it, and an answer. */
  private async search(): Promise<void> {
    const traceId = await this.startTrace(DEMO_TRACES.search, 'a search and an answer', {});
    const question = 'Which city is the capital of Canada?';
    await this.gateway.call('/v1/embeddings', { model: FAKE_MODELS.embedding, input: question }, { traceId });
    const found = 'Canada: a country with a capital.';
    const retrieval = await this.startSpan(traceId, 'search', { type: 'retrieval' }, null, question);
    await this.complete(retrieval, [{ text: found, score: 0.5 }]);
    const messages = [{ role: 'system', content: `Answer from: ${found}` }, user(question)];
    await this.gateway.call(CHAT, { ...AGENT, messages }, { traceId });
    await this.arrival(traceId, 3);
  }

  /** Two calls that the model refuses. */
  private async failures(): Promise<void> {
    const long = await this.startTrace(DEMO_TRACES.tooLong, 'a prompt that is too long', { user_id: userId });
    const messages = [user('And then? '.repeat(120))];
    await this.gateway.call(CHAT, { ...REQUEST, messages }, { traceId: long });
    const unknown = await this.startTrace(DEMO_TRACES.unknownModel, 'a model that does not exist', { user_id: userId });
    const request = { ...REQUEST, model: 'demo-fake-chta', messages: [user('What is the capital of France?')] };
    await this.gateway.call(CHAT, request, { traceId: unknown });
    await this.arrival(long, 1);
    await this.arrival(unknown, 1);
  }

  private async startTrace(id: string, name: string, members: object): Promise<string> {
    const trace = { id, name: `Demo: ${name}`, tags: [tag], metadata: DEMO_METADATA, ...members };
    return (await this.api.post<TraceResource>('/api/traces', trace)).id;
  }

  private async startSpan(
    traceId: string,
    name: string,
    kind: object,
    parentId: string | null = null,
    input: unknown = null,
  ): Promise<string> {
    const span = { trace_id: traceId, parent_id: parentId, name, kind, input, metadata: DEMO_METADATA };
    return (await this.api.post<{ id: string }>('/api/spans', span)).id;
  }

  private async complete(spanId: string, output: unknown): Promise<void> {
    await this.api.post(`/api/spans/${spanId}/complete`, { output });
  }

  /** Waits until a trace has all its spans, and none of them runs. */
  private async arrival(traceId: string, count: number): Promise<void> {
    await poll(async () => {
      const { spans } = await this.api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
      return spans.length >= count && spans.every(({ ended_at: endedAt }) => endedAt !== null) ? true : undefined;
    }, `the gateway answered, and its recordings did not arrive at the API: does it record to another one? GET /readyz of the gateway says whether its API is up`);
  }
}
