import { StartError } from '@spandrel/kernel/launch';
import type { Api, ItemOf, resources } from '@spandrel/sdk';
import { DEMO_MARKS, DEMO_METADATA } from './demo-settings.js';
import { FAKE_MODELS } from './fake-model.js';
import { HALF_MADE, poll } from './find-demo.js';
import type { GatewayClient } from './gateway-client.js';

const DATASET = { id: DEMO_MARKS.datasetId };

/** Datapoints that the demo's capture rule makes: one of every question. */
const CAPTURED = 3;

const FILE = `input,expected_output
What is the capital of Brazil?,Brasília
What is the capital of Canada?,Ottawa
What is the capital of Japan?,Tokyo
`;

const WHOLE =
  "Made by spandrel demo; every answer is a fake model's. The capture rule took the questions of a session, a file brought the others. Remove all of it: npx spandrel demo --remove";

const REVIEWER = 'demo-reviewer';

type Datapoint = ItemOf<'listDatapoints', resources.DatapointList>;

export async function makeDemo(api: Api, gateway: GatewayClient, connectionId: string): Promise<void> {
  await makeDataset(api);
  await new RecordTraces(api, gateway).execute();
  await reviewAnswer(api, await capturedDatapoints(api));
  await runEvaluation(api, connectionId);
  await api.updateDataset({ path: DATASET, body: { description: WHOLE } });
}

/** Makes the connection to the fake model. @throws StartError if the server does not reach it. */
export async function connectModel(api: Api, modelUrl: string): Promise<string> {
  const body = {
    name: 'Demo: fake model',
    provider: 'custom',
    api_key: '',
    base_url: `${modelUrl}${DEMO_MARKS.modelPath}/v1`,
    default_model: FAKE_MODELS.chat,
  };
  const { id } = await api.createConnection({ body });
  const { ok, error } = await api.testConnection({ path: { id } });
  if (!ok) throw new StartError([`the server cannot reach the fake model at ${modelUrl}: ${error}`]);
  return id;
}

/** An import of everything may bring ids along, also twice. The capture rule must be there before the spans are. */
async function makeDataset(api: Api): Promise<void> {
  const now = new Date().toISOString();
  const dataset = {
    ...DATASET,
    name: 'Demo: capitals (fake model)',
    description: HALF_MADE,
    ...{ datapoint_count: 0, version: 0, created_at: now, updated_at: now },
  };
  await api.importJson({ body: { version: 1, traces: [], spans: [], datasets: [dataset], datapoints: [] } });
  const filters = { tag: DEMO_MARKS.tag, model: FAKE_MODELS.chat, status: 'completed' as const };
  await api.createCaptureRule({ path: DATASET, body: { name: 'Demo: answered questions', filters } });
  await api.importDatapoints({ path: DATASET, body: FILE, headers: { 'content-type': 'text/csv' } });
}

/** Waits until the capture rule has taken the questions: it works behind the recording. @returns their datapoints */
async function capturedDatapoints(api: Api): Promise<Datapoint[]> {
  await poll(async () => {
    const [rule] = (await api.listCaptureRules({ path: DATASET, query: { limit: 1 } })).capture_rules;
    return rule && rule.captured_count >= CAPTURED ? rule : undefined;
  }, `the capture rule did not capture the ${CAPTURED} recorded questions; see the log of the server`);
  const { datapoints } = await api.listDatapoints({ path: DATASET, query: { limit: 1_000 } });
  return datapoints.filter(({ source_span_id: span }) => span !== null);
}

/** Enqueues two captured answers: a wrong one, which a reviewer corrects, and one that waits to be reviewed. */
async function reviewAnswer(api: Api, captured: readonly Datapoint[]): Promise<void> {
  const wrong = await findDatapoint(api, captured, DEMO_TRACES.wrongAnswer);
  const other = await findDatapoint(api, captured, DEMO_TRACES.followUp);
  const { items } = await api.enqueueDatapoints({ path: DATASET, body: { datapoint_ids: [wrong.id, other.id] } });
  const item = items.find(({ datapoint_id: id }) => id === wrong.id);
  if (!item) throw new StartError(['the review queue does not contain the datapoint that was added']);
  const path = { item_id: item.id };
  await api.claimQueueItem({ path, body: { claimed_by: REVIEWER } });
  await api.submitQueueItem({ path, query: { apply: true }, body: { edited_data: correctAnswer(wrong.kind) } });
}

async function findDatapoint(api: Api, captured: readonly Datapoint[], traceId: string): Promise<Datapoint> {
  const { spans } = await api.getTrace({ path: { id: traceId } });
  const found = captured.find(({ source_span_id: id }) => spans.some((span) => span.id === id));
  if (!found) throw new StartError([`the capture rule made no datapoint of the trace ${traceId}`]);
  return found;
}

/** The capital of Australia, which the fake model does not know. A gateway that records no texts leaves a Generic. */
const correctAnswer = (kind: Datapoint['kind']): Datapoint['kind'] =>
  'LlmConversation' in kind
    ? { LlmConversation: { ...kind.LlmConversation, expected: 'Canberra' } }
    : { Generic: { ...kind.Generic, expected_output: 'Canberra' } };

/** Runs the fake model over the dataset and waits for the scores. Each item has a trace of what was sent. */
async function runEvaluation(api: Api, connectionId: string): Promise<void> {
  const run = await api.startEval({
    path: DATASET,
    body: {
      name: 'Demo: the fake model, one answer wrong',
      config: { connection_id: connectionId, temperature: 0, trace: true },
      scoring: 'Contains',
    },
  });
  const ended = await poll(async () => {
    const now = await api.getEval({ path: { id: run.id } });
    return now.ended_at === null ? undefined : now;
  }, `the eval run ${run.id} did not end; GET /api/eval/${run.id} shows its progress`);
  if (ended.status === 'completed' && ended.failed_count === 0) return;
  const item = ended.result_items.find(({ error }) => error !== null);
  throw new StartError([`the eval run ended as ${ended.status}: ${ended.error ?? item?.error ?? 'unknown reason'}`]);
}

const { tag, traceIdPrefix, sessionId, userId } = DEMO_MARKS;

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
class RecordTraces {
  constructor(
    private readonly api: Api,
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
    const messages: object[] = [];
    const ask = async (id: string, name: string, question: string, others: object = {}): Promise<void> => {
      messages.push(user(question));
      const traceId = await this.startTrace(id, name, { session_id: sessionId, user_id: userId });
      await this.gateway.call(CHAT, { ...REQUEST, messages, ...others }, { traceId });
      await this.arrival(traceId, 1);
    };
    await ask(DEMO_TRACES.question, 'a question', 'What is the capital of France?');
    messages.push(assistant('Paris'));
    const streamed = { stream: true, stream_options: { include_usage: true } };
    await ask(DEMO_TRACES.followUp, 'a streamed answer', 'And the capital of Kenya?', streamed);
    messages.push(assistant('Nairobi'));
    await ask(DEMO_TRACES.wrongAnswer, 'a wrong answer', 'And the capital of Australia?');
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
    return (await this.api.createTrace({ body: trace })).id;
  }

  private async startSpan(
    traceId: string,
    name: string,
    kind: { type: string; [member: string]: unknown },
    parentId: string | null = null,
    input: unknown = null,
  ): Promise<string> {
    const span = { trace_id: traceId, parent_id: parentId, name, kind, input, metadata: DEMO_METADATA };
    return (await this.api.createSpan({ body: span })).id;
  }

  private async complete(spanId: string, output: unknown): Promise<void> {
    await this.api.completeSpan({ path: { id: spanId }, body: { output } });
  }

  private async arrival(traceId: string, count: number): Promise<void> {
    await poll(async () => {
      const { spans } = await this.api.getTrace({ path: { id: traceId } });
      return spans.length >= count && spans.every(({ ended_at: endedAt }) => endedAt !== null) ? true : undefined;
    }, 'the recordings of the gateway did not arrive at this API. Check that the gateway sends to the same API: GET /readyz of the gateway shows its state');
  }
}
