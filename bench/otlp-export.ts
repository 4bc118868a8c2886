import { importSource } from './libs.ts';

const { encodeOtlp } = (await importSource(
  'libs/otlp/fixtures/otlp-schema.ts',
)) as typeof import('../libs/otlp/fixtures/otlp-schema.ts');
const { jsonOf } = (await importSource(
  'libs/otlp/fixtures/any-export.ts',
)) as typeof import('../libs/otlp/fixtures/any-export.ts');

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A span as five instrumentations of one application send it; ids and times are added. */
interface SpanShape {
  name: string;
  scope: string;
  /** Place of the parent among the spans of the trace; the first has none. */
  parent: number;
  kind: number;
  attributes: Attributes;
}

const QUESTION = 'How high does the tide rise at Saint-Malo in week {n}, and when should we cross to the fort on foot?';
const ANSWER =
  'The highest tide of week {n} reaches about 12.1 m on Thursday evening. Cross within two hours of low water, near noon.';
const SYSTEM = 'You answer questions about tides in two short sentences.';

/** One request of an application: what its server, its agent, three instrumentations of models and its database report. */
const SHAPES: readonly SpanShape[] = [
  {
    name: 'POST /api/chat',
    scope: '@opentelemetry/instrumentation-http',
    parent: -1,
    kind: 2,
    attributes: {
      ...{ 'http.request.method': 'POST', 'url.path': '/api/chat', 'url.scheme': 'https', 'http.route': '/api/chat' },
      ...{ 'server.address': 'app.example.com', 'server.port': 443, 'http.response.status_code': 200 },
      ...{ 'network.protocol.version': '1.1', 'user_agent.original': 'Mozilla/5.0 (X11; Linux x64)' },
      ...{ 'client.address': '203.0.113.{n}', 'http.request.body.size': 412 },
    },
  },
  {
    name: 'ai.generateText',
    scope: 'ai',
    parent: 0,
    kind: 1,
    attributes: {
      ...{ 'operation.name': 'ai.generateText tides', 'ai.operationId': 'ai.generateText' },
      ...{ 'ai.model.id': 'gpt-4o', 'ai.model.provider': 'openai.chat', 'ai.telemetry.functionId': 'tides' },
      ...{ 'ai.settings.maxRetries': 2, 'ai.prompt': JSON.stringify({ system: SYSTEM, prompt: QUESTION }) },
      ...{ 'ai.response.text': ANSWER, 'ai.response.finishReason': 'stop', 'ai.usage.promptTokens': 120 },
      ...{ 'ai.usage.completionTokens': 80, 'ai.telemetry.metadata.sessionId': 'session-{n}' },
    },
  },
  {
    name: 'ai.generateText.doGenerate',
    scope: 'ai',
    parent: 1,
    kind: 1,
    attributes: {
      ...{ 'operation.name': 'ai.generateText.doGenerate tides', 'ai.operationId': 'ai.generateText.doGenerate' },
      ...{ 'ai.model.id': 'gpt-4o', 'ai.model.provider': 'openai.chat', 'gen_ai.system': 'openai.chat' },
      ...{
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.response.id': 'chatcmpl-CeYh7{n}',
        'gen_ai.usage.input_tokens': 120,
      },
      ...{ 'gen_ai.usage.output_tokens': 80, 'gen_ai.response.finish_reasons': ['stop'] },
      ...{ 'ai.response.text': ANSWER, 'ai.response.finishReason': 'stop' },
      'ai.prompt.messages': JSON.stringify([
        { role: 'system', content: SYSTEM },
        { role: 'user', content: [{ type: 'text', text: QUESTION }] },
      ]),
    },
  },
  {
    name: 'OpenAI Chat Completions',
    scope: '@arizeai/openinference-instrumentation-openai',
    parent: 2,
    kind: 1,
    attributes: {
      ...{ 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-4o', 'llm.provider': 'openai' },
      ...{ 'llm.input_messages.0.message.role': 'system', 'llm.input_messages.0.message.content': SYSTEM },
      ...{ 'llm.input_messages.1.message.role': 'user', 'llm.input_messages.1.message.content': QUESTION },
      ...{ 'llm.output_messages.0.message.role': 'assistant', 'llm.output_messages.0.message.content': ANSWER },
      ...{ 'llm.token_count.prompt': 120, 'llm.token_count.completion': 80, 'llm.token_count.total': 200 },
      'llm.invocation_parameters': '{"temperature":0.2}',
    },
  },
  {
    name: 'execute_tool tides',
    scope: 'gen_ai',
    parent: 1,
    kind: 1,
    attributes: {
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'tides', 'gen_ai.tool.call.id': 'call_Hk2{n}' },
      ...{ 'gen_ai.tool.type': 'function', 'gen_ai.tool.description': 'Tides of a harbour, by day' },
      'gen_ai.tool.call.arguments': '{"harbour":"Saint-Malo","days":7}',
      'gen_ai.tool.call.result': JSON.stringify(
        Array.from({ length: 7 }, (_, day) => ({ day, high_m: 10 + day / 4, high_at: '18:42', low_at: '12:10' })),
      ),
      ...{ 'code.function.name': 'tides', 'thread.id': 1, 'thread.name': 'main', 'app.cache': 'miss' },
    },
  },
  {
    name: 'chat claude-sonnet-4-5',
    scope: '@traceloop/instrumentation-anthropic',
    parent: 0,
    kind: 3,
    attributes: {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic', 'gen_ai.usage.input_tokens': 310 },
      ...{ 'gen_ai.request.model': 'claude-sonnet-4-5', 'gen_ai.response.model': 'claude-sonnet-4-5-20250929' },
      ...{ 'gen_ai.usage.output_tokens': 75, 'gen_ai.request.temperature': 0.2, 'gen_ai.request.max_tokens': 1024 },
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: QUESTION }] }]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: ANSWER }], finish_reason: 'stop' },
      ]),
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: SYSTEM }]),
    },
  },
  {
    name: 'summary',
    scope: 'langfuse-sdk',
    parent: 0,
    kind: 1,
    attributes: {
      ...{ 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': 'gpt-4o-mini' },
      'langfuse.observation.input': JSON.stringify([{ role: 'user', content: QUESTION }]),
      'langfuse.observation.output': JSON.stringify({ role: 'assistant', content: ANSWER }),
      ...{ 'langfuse.observation.usage_details': '{"input":13,"input_cached_tokens":8,"output":6}' },
      ...{ 'langfuse.trace.name': 'tides', 'langfuse.user.id': 'ada-{n}', 'langfuse.session.id': 'session-{n}' },
      ...{
        'langfuse.environment': 'production',
        'langfuse.release': '2026.11',
        'langfuse.observation.level': 'DEFAULT',
      },
    },
  },
  {
    name: 'SELECT tides',
    scope: '@opentelemetry/instrumentation-pg',
    parent: 4,
    kind: 3,
    attributes: {
      ...{ 'db.system.name': 'postgresql', 'db.namespace': 'tides', 'server.address': 'db.example.com' },
      ...{ 'server.port': 5432, 'db.collection.name': 'tides', 'db.operation.name': 'SELECT', 'peer.service': 'db' },
      'db.query.text':
        'select day, high_m, high_at, low_m, low_at from tides where harbour = $1 and day between $2 and $3 order by day limit 7',
      ...{ 'db.response.returned_rows': 7, 'db.client.connection.pool.name': 'main', 'network.transport': 'tcp' },
    },
  },
];

/** Spans of one trace of the export. */
const TRACE_SPANS = SHAPES.length;

/** An export as its sender has it, with a part of its own for every trace and span id. */
function exportMessage(spans: number, serial: number): object {
  const traces = Math.ceil(spans / TRACE_SPANS);
  const start = BigInt(Date.now()) * 1_000_000n;
  const scopes = new Map(SHAPES.map(({ scope }) => [scope, [] as object[]]));
  for (let n = 0; n < traces * TRACE_SPANS && n < spans; n++) {
    const shape = SHAPES[n % TRACE_SPANS]!;
    const trace = Math.floor(n / TRACE_SPANS);
    const spanId = (place: number): Buffer => Buffer.from(hex(serial, 6) + hex(trace, 6) + hex(place + 1, 4), 'hex');
    const begins = start + BigInt(trace * 1_000 + (n % TRACE_SPANS)) * 1_000_000n;
    scopes.get(shape.scope)!.push({
      traceId: Buffer.from(hex(serial, 12) + hex(trace + 1, 20), 'hex'),
      spanId: spanId(n % TRACE_SPANS),
      ...(shape.parent >= 0 && { parentSpanId: spanId(shape.parent) }),
      name: shape.name,
      kind: shape.kind,
      startTimeUnixNano: String(begins),
      endTimeUnixNano: String(begins + 750_000_000n),
      attributes: keyValues(shape.attributes, trace),
      flags: 257,
    });
  }
  const resource = keyValues({
    'service.name': 'tides',
    'service.version': '1.4.2',
    'telemetry.sdk.language': 'nodejs',
  });
  return {
    resourceSpans: [
      {
        resource: { attributes: resource },
        scopeSpans: [...scopes].map(([name, of]) => ({ scope: { name, version: '1.0.0' }, spans: of })),
      },
    ],
  };
}

/** The export in protobuf. */
export const protobufExport = (spans: number, serial: number): Buffer =>
  encodeOtlp('ExportTraceServiceRequest', exportMessage(spans, serial));

/** The export in OTLP's JSON. */
export const jsonExport = (spans: number, serial: number): string =>
  JSON.stringify(jsonOf(exportMessage(spans, serial)));

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

function keyValues(attributes: Attributes, trace = 0): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(ofTrace(value, trace)) }));
}

/** Prompts, answers, sessions and ids are each trace's own, as they are in the wild; models and methods come again. */
const ofTrace = (value: Attributes[string], trace: number): Attributes[string] =>
  typeof value === 'string' ? value.replaceAll('{n}', String(trace)) : value;

function anyValue(value: Attributes[string]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
