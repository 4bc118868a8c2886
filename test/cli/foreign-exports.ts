/** Exports of Langfuse, Phoenix and Opik in the forms that they write, made by hand. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tempDir } from '../support/spandrel.ts';

/** Writes files; those that end with `.gz` are packed. @returns their folder. */
export function writeExport(files: Readonly<Record<string, string | object>>): string {
  const folder = tempDir();
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
  }
  return folder;
}

export const lines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

const TRACE = '0af7651916cd43dd8448eb211c80319c';
export const LANGFUSE = { trace: TRACE, root: 'b7ad6b7169203331', call: 'c8be7c827a314442' };
const MESSAGES = [{ role: 'user', content: 'How high is the tower?' }];

const observation = (id: string, type: string, second: number, more: object) => ({
  ...{ id, trace_id: TRACE, project_id: 'prj', environment: 'production', type, name: type.toLowerCase() },
  ...{ parent_observation_id: LANGFUSE.root, level: 'DEFAULT', status_message: null, input: null, output: null },
  // ClickHouse writes UTC without saying so, with microseconds.
  ...{ start_time: `2026-11-20 09:00:0${second}.000250`, end_time: `2026-11-20 09:00:0${second + 1}.500000` },
  ...{ metadata: {}, model_parameters: '', usage_details: {}, cost_details: {}, completion_start_time: null },
  ...more,
});

/** Rows of `observations_v2`, which say of their trace what is known of it. */
export const OBSERVATIONS = [
  observation(LANGFUSE.root, 'AGENT', 0, {
    ...{ parent_observation_id: '', name: 'answer', input: '{"question":"How high?"}', output: '333 m' },
    ...{ metadata: { plan: '["search"]', team: 'docs' }, end_time: '2026-11-20 09:00:08.000000' },
  }),
  observation(LANGFUSE.call, 'GENERATION', 1, {
    ...{ input: JSON.stringify(MESSAGES), output: '{"role":"assistant","content":"333 m"}' },
    ...{ provided_model_name: 'gpt-4o', model_parameters: '{"temperature":0.2}', prompt_name: 'tower' },
    ...{ usage_details: { input: 80, input_cached_tokens: 20, output: 34, output_reasoning_tokens: 6, total: 140 } },
    ...{ cost_details: { input: 0.0008, output: 0.0115, total: 0.0123 }, total_cost: 0.0123 },
    completion_start_time: '2026-11-20 09:00:01.400250',
  }),
  observation('span-tool', 'TOOL', 3, { name: 'search', level: 'ERROR', status_message: 'no answer' }),
  observation('span/retriever', 'RETRIEVER', 4, { output: '[{"content":"333 m"}]' }),
  observation('span-event', 'EVENT', 5, { end_time: null }),
].map((row) => ({
  ...{ ...row, user_id: 'ada', session_id: 's1', trace_name: 'support', tags: ['prod', 'v2'], release: 'r7' },
}));

const score = (id: string, more: object) => ({
  ...{ id, timestamp: '2026-11-20 09:01:00.000000', project_id: 'prj', trace_id: TRACE, observation_id: null },
  ...{ session_id: null, dataset_run_id: null, source: 'API', comment: null, data_type: 'NUMERIC', string_value: null },
  ...more,
});

export const SCORES = [
  score('score-number', { name: 'accuracy', value: 0.75, source: 'EVAL', observation_id: LANGFUSE.call }),
  score('score-label', {
    ...{ name: 'tone', value: 0, data_type: 'CATEGORICAL', string_value: 'kind' },
    ...{ source: 'ANNOTATION', comment: 'Well said.' },
  }),
  score('score-boolean', { name: 'solved', value: 1, data_type: 'BOOLEAN', string_value: 'True' }),
  score('score-session', { name: 'mood', value: 3, trace_id: null, session_id: 's1' }),
];

/** Rows of `traces` and `observations`, of which a trace alone says what it was asked. */
export const LEGACY_TRACES = [
  {
    ...{ id: 'trace-legacy', timestamp: '2026-11-20 10:00:00.000', name: 'legacy', environment: 'default' },
    ...{
      project_id: 'prj',
      metadata: { plan: 'free' },
      user_id: 'bob',
      session_id: 's2',
      release: 'r6',
      version: null,
    },
    ...{ public: false, bookmarked: true, tags: ['old'], input: '"Where?"', output: '{"place":"Tokyo"}' },
  },
  { id: 'trace-empty', timestamp: '2026-11-20 10:00:05.000', name: 'nothing below', tags: [], input: 'q', output: 'a' },
];
export const LEGACY_OBSERVATIONS = [
  {
    ...{ ...observation('legacy-call', 'GENERATION', 1, {}), trace_id: 'trace-legacy', parent_observation_id: null },
    ...{ start_time: '2026-11-20 10:00:01.000', end_time: '2026-11-20 10:00:03.000', input: 'Where?', output: 'Tokyo' },
    ...{
      provided_model_name: 'claude-sonnet-4-5',
      usage_details: { input: 10, output: 5, total: 15 },
      total_cost: 0.5,
    },
  },
];

/** The JSON of one trace that the page of Langfuse downloads. */
export const LANGFUSE_DOWNLOAD = {
  observations: [
    {
      ...{ id: 'ui-call', traceId: 'ui-trace', parentObservationId: null, type: 'GENERATION', name: 'chat' },
      ...{ startTime: '2026-11-20T11:00:00.000Z', endTime: '2026-11-20T11:00:02.000Z', level: 'DEFAULT' },
      ...{ model: 'gpt-4o-mini', usageDetails: { input: 5, output: 7, total: 12 }, costDetails: { total: 0.25 } },
      ...{ userId: 'eve', sessionId: 's3', traceName: 'from the page', tags: ['ui'], input: MESSAGES, output: 'hm' },
      ...{ metadata: { scope: { name: 'sdk' } }, modelParameters: {}, toolCallNames: [] },
    },
  ],
  scores: [
    {
      ...{ id: 'ui-score', name: 'helpful', traceId: 'ui-trace', observationId: 'ui-call', source: 'ANNOTATION' },
      ...{ dataType: 'NUMERIC', value: 1, timestamp: '2026-11-20T11:01:00.000Z', authorUserId: 'user-1' },
    },
  ],
};

export const PHOENIX = {
  trace: '11112222333344445555666677778888',
  root: 'aaaabbbbccccdddd',
  call: 'aaaabbbbccccddee',
};

const phoenixSpan = (spanId: string, kind: string, parent: string | null, attributes: object, more: object = {}) => ({
  ...{ id: 'U3BhbjoxMg==', name: kind.toLowerCase(), context: { trace_id: PHOENIX.trace, span_id: spanId } },
  ...{ span_kind: kind, parent_id: parent, status_code: 'OK', status_message: '', attributes, events: [] },
  ...{ start_time: '2026-11-20T12:00:00.123456+00:00', end_time: '2026-11-20T12:00:02.500000+00:00', ...more },
});

/** Spans as the API of Phoenix has them: attributes are flat, and objects that were JSON text are taken apart. */
export const PHOENIX_SPANS = [
  phoenixSpan(PHOENIX.root, 'CHAIN', null, {
    ...{ 'input.value': 'How high?', 'output.value': '333 m', 'session.id': 's4', 'user.id': 'kim' },
    ...{ 'tag.tags': ['px'], 'metadata.team': 'docs', 'metadata.deep.er': 1 },
  }),
  phoenixSpan(PHOENIX.call, 'LLM', PHOENIX.root, {
    ...{ 'llm.model_name': 'gpt-4o', 'llm.provider': 'openai', 'llm.cost.total': 0.0042 },
    ...{ 'llm.token_count.prompt': 100, 'llm.token_count.completion': 40, 'llm.token_count.total': 140 },
    ...{ 'llm.token_count.prompt_details.cache_read': 30 },
    ...{ 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.message.content': 'How high?' },
    ...{ 'llm.output_messages.0.message.role': 'assistant', 'llm.output_messages.0.message.content': '333 m' },
    ...{ 'llm.invocation_parameters': '{"temperature":0}' },
  }),
  phoenixSpan('aaaabbbbccccddff', 'RETRIEVER', PHOENIX.root, {
    ...{ 'input.value': 'tower', 'retrieval.documents.0.document.content': 'It is 333 m high.' },
    ...{ 'retrieval.documents.0.document.score': 0.9, 'retrieval.documents.0.document.metadata.page': 3 },
  }),
  phoenixSpan(
    'aaaabbbbccccdd00',
    'TOOL',
    PHOENIX.root,
    { 'tool.name': 'search', 'tool.parameters.q': 'tower' },
    {
      ...{ status_code: 'ERROR', status_message: 'quota' },
      events: [
        {
          ...{ name: 'exception', timestamp: '2026-11-20T12:00:01Z' },
          attributes: { 'exception.type': 'QuotaError', 'exception.message': 'quota' },
        },
      ],
    },
  ),
];

const annotation = (id: string, more: object) => ({
  ...{ id, source: 'APP', user_id: null, created_at: '2026-11-20T12:01:00Z', updated_at: '2026-11-20T12:01:00Z' },
  ...{ metadata: {}, identifier: '', annotator_kind: 'HUMAN', ...more },
});

/** A file of `px trace list DIRECTORY --include-annotations --include-notes`. */
export const PHOENIX_TRACE = {
  traceId: PHOENIX.trace,
  spans: PHOENIX_SPANS.map((span) =>
    span.context.span_id !== PHOENIX.call
      ? span
      : {
          ...span,
          annotations: [
            annotation('U3BhbkFubm90YXRpb246MQ==', {
              ...{ name: 'correctness', annotator_kind: 'LLM', span_id: PHOENIX.call },
              result: { score: 0.5, label: 'partly', explanation: 'The unit is missing.' },
            }),
          ],
        },
  ),
  rootSpan: PHOENIX_SPANS[0],
  ...{ startTime: '2026-11-20T12:00:00.123Z', endTime: '2026-11-20T12:00:02.500Z', duration: 2377, status: 'ERROR' },
  annotations: [
    annotation('VHJhY2VBbm5vdGF0aW9uOjE=', {
      ...{ name: 'helpful', trace_id: PHOENIX.trace, result: { score: 1, label: null, explanation: null } },
    }),
  ],
  notes: [
    annotation('VHJhY2VBbm5vdGF0aW9uOjI=', {
      ...{ name: 'note', trace_id: PHOENIX.trace, result: { explanation: 'Look at this one.' } },
    }),
  ],
};

/** Lines of `GET /v1/datasets/:id/jsonl`. */
export const PHOENIX_EXAMPLES = ['Paris', 'Rome'].map((city, n) => ({
  ...{ id: `example-${n}`, node_id: `RGF0YXNldEV4YW1wbGU6${n}`, input: { question: `Where is ${city}?` } },
  ...{ output: { answer: city }, metadata: { level: n }, splits: ['test'] },
}));

const OPIK_TRACE = '0193a1b2-0000-7000-8000-000000000001';
export const OPIK = { trace: OPIK_TRACE, call: '0193a1b2-0000-7000-8000-000000000002', user: 'anna@example.com' };

const opikSpan = (n: number, type: string, parent: string | null, more: object) => ({
  ...{ id: `0193a1b2-0000-7000-8000-00000000000${n}`, project_id: 'p1', trace_id: OPIK_TRACE, parent_span_id: parent },
  ...{ name: type, type, input: null, output: null, metadata: null, model: null, provider: null, tags: null },
  // Python writes its own form of a time.
  ...{ start_time: '2026-11-20 13:00:00.250000+00:00', end_time: '2026-11-20 13:00:02.250000+00:00', usage: null },
  ...{ error_info: null, feedback_scores: null, comments: null, total_estimated_cost: null, duration: 2000, ...more },
});

/** A file `trace_ID.json` of `opik export`. */
export const OPIK_FILE = {
  trace: {
    ...{ id: OPIK_TRACE, project_id: 'p1', name: 'chat', start_time: '2026-11-20 13:00:00+00:00' },
    ...{ end_time: '2026-11-20 13:00:03+00:00', input: { question: 'How high?' }, output: { answer: '333 m' } },
    ...{ metadata: { team: 'docs' }, tags: ['opik'], error_info: null, thread_id: 'thread-1', span_count: 2 },
    ...{ usage: { total_tokens: 150 }, total_estimated_cost: 0.031, comments: null, guardrails_validations: null },
    feedback_scores: [
      {
        ...{ name: 'helpful', value: 0.5, category_name: null, reason: 'mean of two', source: 'ui' },
        value_by_author: {
          [OPIK.user]: { value: 1, reason: 'Short and right.', source: 'ui' },
          'bob@example.com': { value: 0, reason: null, source: 'ui' },
        },
      },
    ],
  },
  spans: [
    opikSpan(2, 'llm', null, {
      ...{
        name: 'openai chat',
        input: { messages: MESSAGES },
        output: { choices: [{ message: { content: '333 m' } }] },
      },
      ...{ model: 'gpt-4o', provider: 'openai', total_estimated_cost: 0.031, tags: ['openai'] },
      usage: {
        ...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150, 'original_usage.prompt_tokens': 100 },
        ...{ 'original_usage.completion_tokens': 50, 'original_usage.prompt_tokens_details.cached_tokens': 40 },
      },
      feedback_scores: [
        { name: 'fluent', value: 0.9, category_name: 'good', reason: 'By the judge.', source: 'online_scoring' },
      ],
    }),
    opikSpan(3, 'tool', OPIK.call, {
      ...{ name: 'search', input: { q: 'tower' } },
      error_info: { exception_type: 'TimeoutError', message: 'too slow', traceback: 'Traceback …' },
    }),
  ],
  attachments: [],
  ...{ downloaded_at: '2026-11-21T00:00:00', project_name: 'Default Project' },
};

/** A file `dataset_NAME.json` of `opik export`. */
export const OPIK_DATASET = {
  ...{ name: 'Towers', description: 'How high they are.', downloaded_at: '2026-11-21T00:00:00' },
  items: [
    { input: { question: 'Tokyo Tower?' }, expected_output: '333 m', city: 'Tokyo' },
    { question: 'Eiffel Tower?', reference: '330 m' },
  ],
};
