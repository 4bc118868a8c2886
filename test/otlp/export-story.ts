/** What several exporters and the gateway report of some traces, drawn at random: the parts that a delivery shuffles. */
import fc from 'fast-check';

/** Ids are drawn from so few that traces share them, and parents stand in circles. */
const TRACES = 3;
const IDS = 9;
const START_MS = Date.UTC(2026, 10, 22, 9, 59, 58);

export const traceIdOf = (n: number): string => `${n + 1}`.repeat(32);
const spanIdOf = (n: number): string => `${n + 1}`.repeat(16);

/** An export's part as one of its paths takes it. */
export type Part =
  | { path: '/v1/traces'; service: string; span: object }
  | { path: '/v1/logs'; service: string; record: object }
  | { path: '/api/ingest'; traces: object[]; spans: object[] };

const drawnSpan = fc.record({
  trace: fc.nat(TRACES - 1),
  id: fc.nat(IDS - 1),
  parent: fc.option(fc.nat(IDS - 1), { freq: 4 }),
  start: fc.nat(4_000),
  duration: fc.nat(300),
  form: fc.constantFrom('call', 'call', 'embedding', 'agent', 'openinference', 'http'),
  model: fc.constantFrom('gpt-5-mini', 'text-embedding-3-small', 'own-model'),
  usage: fc.option(fc.integer({ min: 1, max: 900 }), { freq: 2 }),
  messages: fc.boolean(),
  failed: fc.boolean(),
  session: fc.option(fc.constantFrom('session.id', 'gen_ai.conversation.id')),
  user: fc.option(fc.constantFrom('user.id', 'enduser.id')),
  tag: fc.option(fc.nat(3)),
  service: fc.constantFrom('app', 'worker'),
  /** Forms that come beside the whole one. */
  also: fc.constantFrom('nothing', 'nothing', 'running', 'pending', 'both'),
  /** Whether the end of the span never comes. */
  endless: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
export type DrawnSpan = typeof drawnSpan extends fc.Arbitrary<infer Value> ? Value : never;

const drawnRecording = fc.record({
  trace: fc.nat(TRACES - 1),
  parent: fc.option(fc.nat(IDS - 1), { freq: 4 }),
  start: fc.nat(4_000),
  tokens: fc.nat(400),
});

const drawnLog = fc.record({
  trace: fc.nat(TRACES - 1),
  id: fc.nat(IDS - 1),
  at: fc.nat(4_000),
  event: fc.constantFrom('gen_ai.user.message', 'gen_ai.choice', 'gen_ai.evaluation.result'),
  text: fc.nat(3),
});

export const drawnStory = fc.record({
  spans: fc.uniqueArray(drawnSpan, {
    minLength: 4,
    maxLength: 24,
    selector: ({ trace, id }) => `${trace} ${id}`,
  }),
  recordings: fc.array(drawnRecording, { maxLength: 5 }),
  logs: fc.uniqueArray(drawnLog, { maxLength: 8, selector: (log) => JSON.stringify(log) }),
  /** Traces of which a program says something itself. */
  given: fc.uniqueArray(fc.nat(TRACES - 1), { maxLength: 1 }),
});
export type Story = typeof drawnStory extends fc.Arbitrary<infer Value> ? Value : never;

type Attributes = [key: string, value: object][];
const text = (stringValue: string): object => ({ stringValue });
const int = (value: number): object => ({ intValue: String(value) });
const texts = (...values: string[]): object => ({ arrayValue: { values: values.map(text) } });
const iso = (ms: number): string => new Date(START_MS + ms).toISOString();
const nanos = (ms: number): string => String(BigInt(START_MS + ms) * 1_000_000n + BigInt(ms));

function attributesOf(drawn: DrawnSpan): Attributes {
  const { form, model, usage, messages, id } = drawn;
  const found: Attributes = [];
  if (form === 'call' || form === 'embedding') {
    found.push(['gen_ai.operation.name', text(form === 'call' ? 'chat' : 'embeddings')]);
    found.push(['gen_ai.request.model', text(model)], ['gen_ai.provider.name', text('openai')]);
    if (messages) found.push(['gen_ai.prompt', text(`asked by attribute ${id}`)]);
  } else if (form === 'agent') {
    found.push(['gen_ai.operation.name', text('invoke_agent')], ['gen_ai.agent.name', text(`agent ${id}`)]);
    if (usage !== null) found.push(['gen_ai.request.model', text(model)]);
  } else if (form === 'openinference') {
    found.push(['openinference.span.kind', text('LLM')], ['llm.model_name', text(model)]);
    if (messages) found.push(['input.value', text(`asked by value ${id}`)], ['metadata', text('{"colour":"red"}')]);
    if (usage !== null) found.push(['llm.token_count.prompt', int(usage)], ['llm.token_count.completion', int(3)]);
  } else {
    found.push(['http.request.method', text('POST')]);
  }
  if (usage !== null && form !== 'openinference' && form !== 'http') {
    found.push(['gen_ai.usage.input_tokens', int(usage)]);
    if (form !== 'embedding') found.push(['gen_ai.usage.output_tokens', int(2)]);
  }
  if (drawn.session !== null) found.push([drawn.session, text(`session of ${drawn.session} ${id}`)]);
  if (drawn.user !== null) found.push([drawn.user, text(`user of ${drawn.user} ${id}`)]);
  if (drawn.tag !== null) found.push(['tag.tags', texts(`tag ${drawn.tag}`, 'all')]);
  return found;
}

/** Whether a drawn span reports usage: tokens over 0. */
export const reportsTokens = ({ usage, form }: DrawnSpan): boolean => usage !== null && form !== 'http';

export const tokensOf = (drawn: DrawnSpan): number => {
  if (!reportsTokens(drawn)) return 0;
  return drawn.usage! + (drawn.form === 'embedding' ? 0 : drawn.form === 'openinference' ? 3 : 2);
};

const keyValues = (attributes: Attributes): object[] => attributes.map(([key, value]) => ({ key, value }));

function formsOf(drawn: DrawnSpan): object[] {
  const { trace, id, parent, start, duration, also, endless } = drawn;
  const attributes = attributesOf(drawn);
  const open = {
    traceId: traceIdOf(trace),
    spanId: spanIdOf(id),
    ...(parent !== null && { parentSpanId: spanIdOf(parent) }),
    name: `span ${id} of ${trace}`,
    kind: 1,
    startTimeUnixNano: nanos(start),
  };
  const running = { ...open, attributes: keyValues(attributes.slice(0, 3)) };
  const pending = {
    ...open,
    spanId: `${id + 1}`.padStart(16, 'a'),
    parentSpanId: spanIdOf(id),
    endTimeUnixNano: nanos(start),
    attributes: keyValues([
      ...attributes.slice(0, 2),
      ['logfire.span_type', text('pending_span')],
      ['logfire.pending_parent_id', text(parent === null || parent === id ? '0'.repeat(16) : spanIdOf(parent))],
    ]),
  };
  const whole = {
    ...open,
    attributes: keyValues(attributes),
    ...(!endless && { endTimeUnixNano: nanos(start + duration) }),
    ...(drawn.failed && { status: { code: 2, message: 'went wrong' } }),
  };
  return [
    ...(!endless && (also === 'running' || also === 'both') ? [running] : []),
    ...(also === 'pending' || also === 'both' ? [pending] : []),
    whole,
  ];
}

function logOf({ trace, id, at, event, text: n }: Story['logs'][number]): object {
  const reported: Record<string, Attributes> = {
    'gen_ai.user.message': [['content', text(`asked by log ${n}`)]],
    'gen_ai.choice': [
      ['index', int(0)],
      ['finish_reason', text('stop')],
      ['message', { kvlistValue: { values: keyValues([['content', text(`answered by log ${n}`)]]) } }],
    ],
    'gen_ai.evaluation.result': [
      ['gen_ai.evaluation.name', text('relevance')],
      ['gen_ai.evaluation.score.value', { doubleValue: n / 4 }],
    ],
  };
  return {
    timeUnixNano: nanos(at),
    eventName: event,
    traceId: traceIdOf(trace),
    spanId: spanIdOf(id),
    body: { kvlistValue: { values: keyValues(reported[event]!) } },
  };
}

/** A recording of the gateway, with the trace as it names it. */
function recordingOf(
  { trace, parent, start, tokens }: Story['recordings'][number],
  n: number,
): Extract<Part, { path: '/api/ingest' }> {
  const span = {
    id: `gateway-${n}-${trace}`,
    trace_id: traceIdOf(trace),
    parent_id: parent === null ? null : spanIdOf(parent),
    name: 'gpt-5-mini',
    kind: { type: 'llm_call', model: 'gpt-5-mini', provider: 'openai', input_tokens: tokens, output_tokens: 0 },
    started_at: iso(start),
    ended_at: iso(start + 5),
    status: 'completed',
  };
  const defaults = { name: 'gpt-5-mini', started_at: iso(start) };
  return { path: '/api/ingest', traces: [{ id: traceIdOf(trace), defaults }], spans: [span] };
}

const givenOf = (trace: number): Extract<Part, { path: '/api/ingest' }> => ({
  path: '/api/ingest',
  traces: [
    {
      id: traceIdOf(trace),
      name: 'given',
      tags: ['mine', 'all'],
      metadata: { colour: 'blue' },
      user_id: 'me',
      defaults: { started_at: iso(2_000) },
    },
  ],
  spans: [],
});

/** All parts of a story, in an order in which they might come. */
export const partsOf = ({ spans, recordings, logs, given }: Story): Part[] => [
  ...spans.flatMap((drawn) =>
    formsOf(drawn).map((span): Part => ({ path: '/v1/traces', service: drawn.service, span })),
  ),
  ...logs.map((drawn): Part => ({ path: '/v1/logs', service: 'app', record: logOf(drawn) })),
  ...recordings.map(recordingOf),
  ...given.map(givenOf),
];

/** The bodies in which some parts are sent: one for each path that they name. */
export function bodiesOf(parts: readonly Part[]): { path: Part['path']; body: object }[] {
  const bodies: { path: Part['path']; body: object }[] = [];
  const resource = (service: string): object => ({ attributes: keyValues([['service.name', text(service)]]) });
  const scope = { name: 'story', version: '1' };
  const spans = parts.filter((part) => part.path === '/v1/traces');
  if (spans.length > 0) {
    const resourceSpans = [...Map.groupBy(spans, ({ service }) => service)].map(([service, of]) => ({
      resource: resource(service),
      scopeSpans: [{ scope, spans: of.map(({ span }) => span) }],
    }));
    bodies.push({ path: '/v1/traces', body: { resourceSpans } });
  }
  const logs = parts.filter((part) => part.path === '/v1/logs');
  if (logs.length > 0) {
    const scopeLogs = [{ scope, logRecords: logs.map(({ record }) => record) }];
    bodies.push({ path: '/v1/logs', body: { resourceLogs: [{ resource: resource('app'), scopeLogs }] } });
  }
  const ingests = parts.filter((part) => part.path === '/api/ingest');
  if (ingests.length > 0) {
    const traces = ingests.flatMap((part) => part.traces);
    bodies.push({ path: '/api/ingest', body: { traces, spans: ingests.flatMap((part) => part.spans) } });
  }
  return bodies;
}
