/** `spandrel import`: exports of other products in all their forms, and what is then in the server (docs/coming-from.md). */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DatapointResource, ScoreResource, SpanResource, TraceResource } from '@spandrel/contract';
import type { Summary } from '../../apps/cli/src/client/imports/intake.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { CommandLine } from './command-line.ts';
import {
  LANGFUSE,
  LANGFUSE_DOWNLOAD,
  LEGACY_OBSERVATIONS,
  LEGACY_TRACES,
  lines,
  OBSERVATIONS,
  OPIK,
  OPIK_DATASET,
  OPIK_FILE,
  PHOENIX,
  PHOENIX_EXAMPLES,
  PHOENIX_SPANS,
  PHOENIX_TRACE,
  SCORES,
  writeExport,
} from './foreign-exports.ts';

describeOnBothDatabases('imports of other products', ({ newDatabase }) => {
  let server: ServerApp;
  let cli: CommandLine;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('imports'));
    cli = new CommandLine({ SPANDREL_API_URL: server.url });
  });
  afterAll(() => server?.close());

  const take = (product: string, path: string) => cli.json<Summary>(['import', product, path]);
  const trace = async (id: string) => {
    const { body } = await server.api.get<{ trace: TraceResource; spans: SpanResource[] }>(`/api/traces/${id}`);
    return { ...body.trace, spans: body.spans };
  };
  const spansOf = async (id: string) =>
    Object.fromEntries((await trace(id)).spans.map((span) => [span.name, span])) as Record<string, SpanResource>;
  const scoresOf = async (query: string) =>
    (await server.api.get<{ scores: ScoreResource[] }>(`/api/scores?${query}`)).body.scores;
  const pointsOf = async (name: string) => {
    const { body } = await server.api.get<{ datasets: { id: string; name: string; version: number }[] }>(
      '/api/datasets',
    );
    const { id, version } = body.datasets.find((one) => one.name === name)!;
    const { datapoints } = (await server.api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${id}/datapoints`))
      .body;
    return { version, kinds: datapoints.map(({ kind }) => kind) };
  };
  /** Everything that is stored, with the times at which it was changed. */
  const everything = async () => {
    const { body } = await server.api.get<Record<string, unknown>>('/api/export/json');
    return { ...body, exported_at: null };
  };

  /** Imports once more: nothing of what is stored changes, and nobody hears of anything. */
  async function takeAgain(product: string, path: string): Promise<Summary> {
    const [before, heard] = [await everything(), server.events.length];
    const summary = await take(product, path);
    expect(await everything()).toEqual(before);
    expect(server.events.slice(heard)).toEqual([]);
    return summary;
  }

  it('Langfuse: observations_v2 as packed JSON lines, scores as JSON', async () => {
    const path = writeExport({
      'prj/observations_v2/2026-11-20T10-00-00.jsonl.gz': lines(OBSERVATIONS),
      'prj/scores/2026-11-20T10-00-00.json': SCORES,
      'prj/manifests/2026-11-20T10-00-00.json': { version: 1, files: [] },
      // What is there once more, in its old form.
      'prj/observations/2026-11-20T10-00-00.jsonl': lines(OBSERVATIONS.slice(0, 1)),
    });
    expect(await take('langfuse', path)).toEqual({
      files: 2,
      taken: { traces: 1, spans: 5, scores: 4, datapoints: 0 },
      duplicates: 0,
      mapped: {
        ...{ 'agent → custom': 1, 'generation → llm_call': 1, 'tool → tool_call': 1 },
        ...{ 'retriever → retrieval': 1, 'event → custom': 1 },
      },
      left_out: { count: 0, records: [] },
    });
    expect(await trace(LANGFUSE.trace)).toMatchObject({
      ...{ name: 'support', session_id: 's1', user_id: 'ada', tags: ['prod', 'v2'] },
      ...{ started_at: '2026-11-20T09:00:00.000Z', ended_at: '2026-11-20T09:00:08.000Z' },
      metadata: { environment: 'production', release: 'r7' },
    });
    const { answer, generation, search, retriever, event } = await spansOf(LANGFUSE.trace);
    expect(answer).toMatchObject({
      ...{ id: LANGFUSE.root, parent_id: null, kind: { type: 'custom', kind: 'agent' }, status: 'completed' },
      ...{ input: { question: 'How high?' }, output: '333 m', metadata: { plan: ['search'], team: 'docs' } },
    });
    expect(generation).toMatchObject({
      ...{ id: LANGFUSE.call, parent_id: LANGFUSE.root, started_at: '2026-11-20T09:00:01.000Z' },
      kind: {
        ...{ type: 'llm_call', model: 'gpt-4o', input_tokens: 100, cached_input_tokens: 20 },
        ...{ output_tokens: 40, reasoning_tokens: 6, cost: 0.0123 },
      },
      ...{ input: [{ role: 'user', content: 'How high is the tower?' }] },
      ...{ output: { role: 'assistant', content: '333 m' }, ended_at: '2026-11-20T09:00:02.500Z' },
      metadata: {
        ...{ cost: 0.0123, cost_source: 'sender', request: { temperature: 0.2 }, time_to_first_token_ms: 400 },
        imported: { from: 'langfuse', prompt_name: 'tower', project_id: 'prj' },
      },
    });
    expect(search).toMatchObject({
      ...{ kind: { type: 'tool_call', name: 'search' }, status: { failed: { error: 'no answer' } } },
    });
    expect(retriever).toMatchObject({
      ...{ id: expect.stringMatching(/^[0-9a-f]{32}$/), kind: { type: 'retrieval' }, output: [{ content: '333 m' }] },
      metadata: { imported: { id: 'span/retriever' } },
    });
    expect(event).toMatchObject({ status: 'completed', ended_at: event!.started_at });
    const scores = Object.fromEntries((await scoresOf(`trace_id=${LANGFUSE.trace}`)).map((one) => [one.name, one]));
    expect(scores).toMatchObject({
      accuracy: { id: 'score-number', value: 0.75, source: 'judge', span_id: LANGFUSE.call },
      tone: { value: null, label: 'kind', comment: 'Well said.', source: 'human', span_id: null },
      solved: { value: 1, label: 'True', source: 'code' },
    });
    expect(await scoresOf('session_id=s1')).toMatchObject([{ id: 'score-session', name: 'mood', value: 3 }]);
    expect((await takeAgain('langfuse', path)).taken).toEqual({ traces: 1, spans: 5, scores: 4, datapoints: 0 });
  });

  it('Langfuse: traces and observations in their old form, and the JSON that its page downloads', async () => {
    const path = writeExport({
      'prj/traces/1.json.gz': LEGACY_TRACES,
      'prj/observations/1.jsonl': lines(LEGACY_OBSERVATIONS),
      'download.json': JSON.stringify(LANGFUSE_DOWNLOAD, undefined, 2),
    });
    expect((await take('langfuse', path)).taken).toEqual({ traces: 3, spans: 4, scores: 1, datapoints: 0 });
    expect(await trace('trace-legacy')).toMatchObject({
      ...{ name: 'legacy', session_id: 's2', user_id: 'bob', tags: ['old'], started_at: '2026-11-20T10:00:00.000Z' },
      metadata: { plan: 'free', release: 'r6', environment: 'default', imported: { bookmarked: true } },
    });
    // No observation says what the trace was asked and answered: it has a span that does.
    expect(await spansOf('trace-legacy')).toMatchObject({
      legacy: { input: '"Where?"', output: { place: 'Tokyo' }, ended_at: '2026-11-20T10:00:03.000Z' },
      generation: { kind: { cost: 0.5, model: 'claude-sonnet-4-5', input_tokens: 10, output_tokens: 5 } },
    });
    expect((await trace('trace-empty')).spans).toMatchObject([{ input: 'q', output: 'a', status: 'completed' }]);
    expect(await trace('ui-trace')).toMatchObject({
      ...{ name: 'from the page', user_id: 'eve', session_id: 's3', tags: ['ui'] },
      spans: [{ id: 'ui-call', kind: { model: 'gpt-4o-mini', cost: 0.25, input_tokens: 5, output_tokens: 7 } }],
    });
    expect(await scoresOf('span_id=ui-call')).toMatchObject([
      { id: 'ui-score', value: 1, source: 'human', author: 'user-1' },
    ]);
    await takeAgain('langfuse', path);
    await takeAgain('langfuse', join(path, 'download.json'));
  });

  it('Phoenix: a folder of traces, a file of spans, datasets', async () => {
    const path = writeExport({
      [`traces/${PHOENIX.trace}.json`]: JSON.stringify(PHOENIX_TRACE, undefined, 2),
      'Capitals.jsonl': lines(PHOENIX_EXAMPLES),
    });
    expect(await take('phoenix', path)).toMatchObject({
      taken: { traces: 1, spans: 4, scores: 3, datapoints: 2 },
      mapped: { 'llm → llm_call': 1, 'retriever → retrieval': 1, 'tool → tool_call': 1, 'chain → custom': 1 },
      left_out: { count: 0 },
    });
    expect(await trace(PHOENIX.trace)).toMatchObject({
      ...{ name: 'chain', session_id: 's4', user_id: 'kim', tags: ['px'] },
      ...{ started_at: '2026-11-20T12:00:00.123Z', ended_at: '2026-11-20T12:00:02.500Z' },
    });
    const { chain, llm, retriever, tool } = await spansOf(PHOENIX.trace);
    expect(chain).toMatchObject({
      ...{ id: PHOENIX.root, parent_id: null, input: 'How high?', output: '333 m' },
      metadata: { team: 'docs', deep: { er: 1 }, otel: { start_unix_nano: '1795176000123456000' } },
    });
    expect(llm).toMatchObject({
      ...{ id: PHOENIX.call, parent_id: PHOENIX.root, input: [{ role: 'user', content: 'How high?' }] },
      ...{ output: { text: '333 m' }, metadata: { cost: 0.0042, cost_source: 'sender', request: { temperature: 0 } } },
      kind: {
        ...{ type: 'llm_call', model: 'gpt-4o', provider: 'openai', cost: 0.0042 },
        ...{ input_tokens: 100, output_tokens: 40, cached_input_tokens: 30 },
      },
    });
    expect(retriever).toMatchObject({
      ...{ kind: { type: 'retrieval' } },
      output: [{ content: 'It is 333 m high.', score: 0.9, metadata: { page: 3 } }],
    });
    expect(tool).toMatchObject({
      ...{ kind: { type: 'tool_call', name: 'search' }, input: { q: 'tower' }, error: 'quota' },
    });
    const scores = Object.fromEntries((await scoresOf(`trace_id=${PHOENIX.trace}`)).map((one) => [one.name, one]));
    expect(scores).toMatchObject({
      correctness: {
        ...{ span_id: PHOENIX.call, value: 0.5, label: 'partly', comment: 'The unit is missing.', source: 'judge' },
        metadata: { imported: { from: 'phoenix', id: 'U3BhbkFubm90YXRpb246MQ==' } },
      },
      helpful: { span_id: null, value: 1, source: 'human' },
      note: { value: null, comment: 'Look at this one.' },
    });
    expect((await pointsOf('Capitals')).kinds).toMatchObject([
      {
        Generic: {
          ...{ input: { question: 'Where is Paris?' }, expected_output: { answer: 'Paris' } },
          metadata: { level: 0, imported: { from: 'phoenix', id: 'example-0', splits: ['test'] } },
        },
      },
      { Generic: { input: { question: 'Where is Rome?' } } },
    ]);
    const { version } = await pointsOf('Capitals');
    expect(await takeAgain('phoenix', path)).toMatchObject({ taken: { datapoints: 0 }, duplicates: 2 });
    expect((await pointsOf('Capitals')).version).toBe(version);
    // Spans in the forms that other commands of px write.
    for (const content of [PHOENIX_SPANS, [PHOENIX_TRACE], { data: PHOENIX_SPANS, next_cursor: null }]) {
      const file = join(writeExport({ 'spans.json': content }), 'spans.json');
      expect((await takeAgain('phoenix', file)).taken.spans).toBe(4);
    }
    const dataset = { dataset_id: 'd1', version_id: 'v1', examples: PHOENIX_EXAMPLES };
    await take('phoenix', join(writeExport({ 'Whole.json': dataset }), 'Whole.json'));
    expect((await pointsOf('Whole')).kinds).toEqual((await pointsOf('Capitals')).kinds);
  });

  it('Phoenix: spans are here what they would be had the application sent them here', async () => {
    const file = 'plugins/dialects/openinference/fixtures/openinference.json';
    const recorded = (JSON.parse(readFileSync(file, 'utf8')) as { spans: { span: RecordedSpan }[] }).spans;
    const spans = recorded.map(({ span }, n) => ({
      ...span,
      traceId: 'd'.repeat(32),
      spanId: `${n + 1}`.padStart(16, 'd'),
    }));
    const sent = spans.map(({ attributes, status, ...span }) => ({
      ...{ ...span, kind: undefined, scope: undefined, events: [], parentSpanId: '' },
      ...{ startTimeUnixNano: span.startUnixNano, endTimeUnixNano: span.endUnixNano },
      attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
      status: { code: status?.code === 'error' ? 2 : 1, message: status?.message ?? '' },
    }));
    const headers = { 'x-test-project': 'direct' };
    const body = { resourceSpans: [{ scopeSpans: [{ spans: sent }] }] };
    expect((await server.api.send('POST', '/api/otel/v1/traces', body, headers)).status).toBe(200);
    const exported = spans.map(
      ({ attributes: { 'openinference.span.kind': kind, metadata, ...attributes }, ...span }) => ({
        ...{ name: span.name, context: { trace_id: span.traceId, span_id: span.spanId }, parent_id: null },
        ...{ span_kind: kind ?? 'UNKNOWN', status_code: span.status?.code === 'error' ? 'ERROR' : 'OK', events: [] },
        ...{ status_message: span.status?.message ?? '', start_time: timeOf(span.startUnixNano) },
        end_time: timeOf(span.endUnixNano),
        // Phoenix takes JSON text of metadata apart.
        attributes: {
          ...attributes,
          ...Object.fromEntries(
            Object.entries(JSON.parse((metadata as string | undefined) ?? '{}') as object).map(([name, value]) => [
              `metadata.${name}`,
              value,
            ]),
          ),
        },
      }),
    );
    const path = join(writeExport({ 'spans.json': exported }), 'spans.json');
    expect(await take('phoenix', path)).toMatchObject({ taken: { spans: spans.length }, left_out: { count: 0 } });
    const list = `/api/spans?trace_id=${'d'.repeat(32)}&limit=200`;
    const listed = async (of: Record<string, string>) =>
      (await server.api.send<{ spans: SpanResource[] }>('GET', list, undefined, of)).body.spans;
    const direct = await listed(headers);
    expect(direct).toHaveLength(spans.length);
    expect(await listed({})).toEqual(direct);
  });

  it('Opik: what `opik export` writes', async () => {
    const path = writeExport({
      [`ws/projects/Default Project/trace_${OPIK.trace}.json`]: JSON.stringify(OPIK_FILE, undefined, 2),
      'ws/datasets/dataset_Towers.json': JSON.stringify(OPIK_DATASET, undefined, 2),
      'ws/prompts/prompt_tower.json': { name: 'tower' },
      'ws/experiments/experiment_one.json': { experiment: {}, items: [] },
      'ws/projects/Default Project/attachments/trace/x/notes.json': '{}',
    });
    expect(await take('opik', path)).toMatchObject({
      ...{ files: 4, taken: { traces: 1, spans: 3, scores: 3, datapoints: 2 } },
      mapped: { 'llm → llm_call': 1, 'tool → tool_call': 1 },
      left_out: {
        count: 2,
        records: [{ file: 'ws/experiments/experiment_one.json' }, { file: 'ws/prompts/prompt_tower.json' }],
      },
    });
    expect(await trace(OPIK.trace)).toMatchObject({
      ...{ name: 'chat', session_id: 'thread-1', tags: ['opik'], started_at: '2026-11-20T13:00:00.000Z' },
      ...{ ended_at: '2026-11-20T13:00:03.000Z' },
      metadata: { team: 'docs', imported: { from: 'opik', project_name: 'Default Project' } },
    });
    const { chat, search, 'openai chat': call } = await spansOf(OPIK.trace);
    expect(chat).toMatchObject({ parent_id: null, input: { question: 'How high?' }, output: { answer: '333 m' } });
    expect(call).toMatchObject({
      ...{ id: OPIK.call, parent_id: chat!.id, started_at: '2026-11-20T13:00:00.250Z' },
      kind: {
        ...{ type: 'llm_call', model: 'gpt-4o', provider: 'openai', cost: 0.031 },
        ...{ input_tokens: 100, output_tokens: 50, cached_input_tokens: 40 },
      },
      metadata: { cost_source: 'sender', imported: { tags: ['openai'] } },
    });
    expect(search).toMatchObject({
      ...{ parent_id: OPIK.call, kind: { type: 'tool_call', name: 'search' }, error: 'TimeoutError: too slow' },
      metadata: { imported: { error_info: { traceback: 'Traceback …' } } },
    });
    const scores = await scoresOf(`trace_id=${OPIK.trace}`);
    expect(scores.map(({ name, value, author, source }) => [name, value, author, source]).toSorted()).toEqual([
      ['fluent', 0.9, 'opik', 'judge'],
      ['helpful', 0, 'bob@example.com', 'human'],
      ['helpful', 1, OPIK.user, 'human'],
    ]);
    expect((await pointsOf('Towers')).kinds).toMatchObject([
      {
        Generic: {
          ...{ input: { question: 'Tokyo Tower?' }, expected_output: '333 m' },
          metadata: { imported: { city: 'Tokyo' } },
        },
      },
      { Generic: { input: { question: 'Eiffel Tower?' }, expected_output: '330 m' } },
    ]);
    expect(await takeAgain('opik', path)).toMatchObject({ taken: { spans: 3, datapoints: 0 }, duplicates: 2 });
    const isRootEnough = {
      ...{ trace: { ...OPIK_FILE.trace, id: 'alone', feedback_scores: null } },
      spans: [{ ...OPIK_FILE.spans[0], id: 'alone-root', feedback_scores: null, ...questionOf(OPIK_FILE.trace) }],
    };
    await take('opik', join(writeExport({ 'trace_alone.json': isRootEnough }), 'trace_alone.json'));
    expect((await trace('alone')).spans).toMatchObject([{ id: 'alone-root', parent_id: null }]);
  });

  it('leaves bad records out, says where they stand, and takes the rest', async () => {
    const [first, second] = OBSERVATIONS.map((one) => ({ ...one, trace_id: 'mended', id: `mended-${one.id}` }));
    const path = writeExport({
      'observations_v2/1.jsonl': `${JSON.stringify(first)}\n{"id": "cut\n{"odd": 1}\n${JSON.stringify(second)}\n`,
      'observations_v2/2.csv': 'id\n1\n',
      'observations_v2/2.json': { ...first, trace_id: null },
      'observations_v2/3.json': `[${JSON.stringify({ ...second, id: 'mended-3' })},\n{"a": oops},\n`,
      'observations_v2/4.json': '',
      'scores/1.jsonl': lines([
        { ...SCORES[0], id: 'lost', trace_id: 'nowhere' },
        { ...SCORES[0], id: 'odd', trace_id: 'mended', observation_id: null, value: 'high' },
        { ...SCORES[0], id: 'of-run', trace_id: null },
      ]),
      'readme.txt': 'not of the export',
    });
    symlinkSync(path, join(path, 'loop'));
    writeFileSync(join(path, 'observations_v2/5.jsonl.gz'), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    const { code, out } = await cli.run(['import', 'langfuse', path]);
    expect(out.split('\n').filter((line) => line.startsWith('  ') && !line.includes('→'))).toEqual([
      '  loop: is a symbolic link, which is not followed; give what it points to as PATH',
      '  observations_v2/2.csv: is CSV or Parquet, which is not read; export as JSON or JSON lines',
      expect.stringMatching(/^ {2}observations_v2\/1\.jsonl, line 2: not valid JSON at character /),
      '  observations_v2/1.jsonl, line 3: holds no trace, span, score or dataset of an export of langfuse',
      expect.stringMatching(/^ {2}observations_v2\/2\.json, line 1: observation mended-\w+ has no id, trace or start$/),
      expect.stringMatching(/^ {2}observations_v2\/3\.json, line 2: not valid JSON at character /),
      '  observations_v2/3.json, line 3: the file ends before its array does; nothing behind it is read',
      '  observations_v2/4.json, line 1: the file is empty; nothing behind it is read',
      expect.stringMatching(/^ {2}observations_v2\/5\.jsonl\.gz, line 1: cannot be read \(Z_/),
      '  scores/1.jsonl, line 3: score of-run is about neither a trace nor a session',
      expect.stringMatching(/^ {2}scores\/1\.jsonl, line 1: score lost: there is no trace/),
      expect.stringMatching(/^ {2}scores\/1\.jsonl, line 2: score odd: .*value/),
    ]);
    expect(out).toMatch(/^taken from 6 files: 1 trace, 3 spans, 0 scores, 0 datapoints\n/);
    expect(out).toMatch(/^left out 12:$/m);
    expect(code).toBe(0);
    expect((await trace('mended')).spans).toHaveLength(3);
  });

  it('takes values of any kind in any place: they cost their record at most', async () => {
    const odd = [null, 7, -1.5, '', 'x', '\u0000\uD800', true, [], [null], {}, { a: { b: [] } }, 'x'.repeat(600)];
    /** A record with each odd value in the place of each of its members, down to two levels. */
    const oddly = (record: object): object[] =>
      Object.entries(record).flatMap(([name, value]) => [
        ...odd.map((one) => ({ ...record, [name]: one })),
        ...(typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.keys(value).flatMap((inner) => odd.map((one) => ({ ...record, [name]: { ...value, [inner]: one } })))
          : []),
      ]);
    const records: Record<string, object[]> = {
      langfuse: [...OBSERVATIONS.slice(0, 2), ...SCORES.slice(0, 2), LEGACY_TRACES[0]!, LANGFUSE_DOWNLOAD],
      phoenix: [PHOENIX_SPANS[1]!, PHOENIX_TRACE, PHOENIX_EXAMPLES[0]!],
      opik: [OPIK_FILE, OPIK_DATASET],
    };
    const oddSpans = { trace: { ...OPIK_FILE.trace, id: 'odd-spans' }, spans: oddly(OPIK_FILE.spans[0]!) };
    for (const [product, of] of Object.entries(records)) {
      const path = join(writeExport({ 'odd.jsonl': lines([...of, oddSpans, ...of.flatMap(oddly)]) }), 'odd.jsonl');
      const { taken, left_out: left } = await take(product, path);
      expect(taken.spans).toBeGreaterThan(100);
      for (const { message } of left.records) expect(message).not.toBe('');
    }
  });

  it('types of strangers never reach the terminal as they are, and only so many are named', async () => {
    const spans = Array.from({ length: 150 }, (_, n) => ({
      ...{ ...OPIK_FILE.spans[0], id: `kinds-${n}`, feedback_scores: null },
      type: n === 0 ? '\u001b]0;x\u0007' : `type ${n}`,
    }));
    const file = { trace: { ...OPIK_FILE.trace, id: 'kinds', feedback_scores: null }, spans };
    const path = join(writeExport({ 'trace_kinds.json': file }), 'trace_kinds.json');
    const odd = { ...OBSERVATIONS[0]!, id: 'kinds-langfuse', type: '\u001B]0;X\u0007' };
    const langfuse = join(writeExport({ '1.jsonl': lines([odd]) }), '1.jsonl');
    const { out } = await cli.run(['import', 'opik', path]);
    const { out: other } = await cli.run(['import', 'langfuse', langfuse]);
    for (const text of [out, other]) {
      expect(text).toContain('  \\x1b]0;x\\x07 → custom: 1\n');
      for (const control of ['\u001b', '\u0007']) expect(text).not.toContain(control);
    }
    expect(out.match(/→/g)).toHaveLength(20);
    const { mapped } = await take('opik', path);
    expect(Object.keys(mapped)).toHaveLength(101);
    expect(mapped['other types → custom']).toBe(50);
  });

  it('what no record can be made of costs that record alone; numbers are ids with every digit', async () => {
    const big = '{"id":12345678901234567890,"trace_id":98765432109876543210,';
    const [observation, score] = [OBSERVATIONS[1]!, { ...SCORES[0]!, observation_id: null }].map((one) =>
      JSON.stringify({ ...one, id: undefined, trace_id: undefined, parent_observation_id: undefined }).replace(
        '{',
        big,
      ),
    );
    const odd = ['{"toString":1}', '{"__proto__":null}', '1e400', '-55555555555555555555.50'];
    const bad = odd.flatMap((value) =>
      ['type', 'id', 'source', 'trace_id', 'name'].flatMap((member) => [
        JSON.stringify({ ...OBSERVATIONS[0]!, [member]: 'ODD' }).replace('"ODD"', value),
        JSON.stringify({ ...SCORES[0]!, [member]: 'ODD' }).replace('"ODD"', value),
      ]),
    );
    const langfuse = writeExport({ '1.jsonl': [...bad, observation, score].join('\n') });
    expect((await take('langfuse', langfuse)).taken.spans).toBeGreaterThan(0);
    expect((await trace('98765432109876543210')).spans).toMatchObject([{ id: '12345678901234567890' }]);
    expect(await scoresOf('trace_id=98765432109876543210')).toMatchObject([{ id: '12345678901234567890' }]);

    const deep = `${'{"data":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const kind = JSON.stringify({ ...PHOENIX_SPANS[0]!, span_kind: 'ODD' }).replace('"ODD"', '{"toString":1}');
    const phoenix = writeExport({ '1.jsonl': [deep, kind, JSON.stringify(PHOENIX_SPANS[1])].join('\n') });
    const { taken, left_out: left } = await take('phoenix', phoenix);
    expect(taken.spans).toBe(2);
    expect(left.records).toEqual([{ file: '1.jsonl', line: 1, message: expect.stringMatching(/^cannot be taken: /) }]);
  });

  it('Phoenix: annotations of two instances, and those without an id, are scores of their own', async () => {
    const annotated = (id: number, annotations: object[]) => ({
      ...{ ...PHOENIX_SPANS[0]!, annotations },
      context: { trace_id: 'c'.repeat(32), span_id: `${id}`.padStart(16, 'c') },
    });
    const by = (annotator: string, more: object) => ({ name: 'good', annotator_kind: annotator, ...more });
    const row = { id: 'U3BhbkFubm90YXRpb246MQ==', result: { score: 1 } };
    const notes = ['one', 'two'].map((explanation) => by('HUMAN', { result: { explanation } }));
    const path = writeExport({
      'first.json': [annotated(1, [by('LLM', row), ...notes])],
      'second.json': [annotated(2, [by('LLM', row), by('CODE', { result: { score: 0 } })])],
    });
    expect(await take('phoenix', path)).toMatchObject({ taken: { spans: 2, scores: 5 }, left_out: { count: 0 } });
    expect(await scoresOf(`trace_id=${'c'.repeat(32)}`)).toHaveLength(5);
    await takeAgain('phoenix', path);
  });

  it('Phoenix: a span without a readable start is left out', async () => {
    const times = [null, 'soon', 7, '1969-12-31T23:59:59Z'];
    const odd = times.map((time) => ({ ...PHOENIX_SPANS[0]!, start_time: time }));
    const { taken, left_out: left } = await take('phoenix', writeExport({ 'spans.jsonl': lines(odd) }));
    expect([taken.spans, left.count]).toEqual([0, 4]);
    for (const { message } of left.records) expect(message).toBe(`span ${PHOENIX.root} has no start_time`);
  });

  it('a dataset that is refused costs its rows alone', async () => {
    for (const _ of [1, 2]) await server.api.send('POST', '/api/datasets', { name: 'Twice' });
    const named = (name: string, more: object = {}) => ({ ...OPIK_DATASET, name, ...more });
    const path = writeExport({
      'a.json': named('Twice'),
      'b.json': named('Described', { description: `a\u0000${'x'.repeat(3_000)}` }),
    });
    const { taken, left_out: left } = await take('opik', path);
    expect(taken.datapoints).toBe(OPIK_DATASET.items.length);
    expect((await pointsOf('Described')).kinds).toHaveLength(OPIK_DATASET.items.length);
    expect(left.records).toMatchObject(
      OPIK_DATASET.items.map(() => ({ file: 'a.json', message: expect.stringMatching(/^dataset Twice: 2 datasets/) })),
    );
  });

  it('sends what is too large for a request in parts, and what is too large alone not at all', async () => {
    const base = { ...OBSERVATIONS[1]!, trace_id: 'large', parent_observation_id: null };
    const observations = [1, 2, 3].map((n) => ({
      ...base,
      id: `large-${n}`,
      output: 'x'.repeat(n === 2 ? 11e6 : 1e6),
    }));
    const path = writeExport({ 'observations_v2/1.jsonl': lines(observations) });
    const { taken, left_out: left } = await take('langfuse', path);
    expect(taken).toMatchObject({ traces: 1, spans: 2 });
    expect(left.records).toMatchObject([{ file: 'observations_v2/1.jsonl', line: 2 }]);
  });

  it('tries again what passes, ends with Ctrl-C, and says where the server is gone', async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => ({ ...OBSERVATIONS[0]!, id: `many-${n}`, trace_id: 'many' }));
    const command = ['import', 'langfuse', writeExport({ 'observations_v2/1.jsonl': lines(many) })];
    let asked = 0;
    // It is busy at first, takes one request, and is asked in vain for the next.
    const busy = createServer((request, response) => {
      request.resume();
      asked++;
      const headers = { 'content-type': 'application/json' };
      if (asked === 1) response.writeHead(503, headers).end('{"code":"unavailable"}');
      else if (asked === 2)
        response.writeHead(200, headers).end('{"accepted":{"traces":1,"spans":1000},"rejected":[]}');
      else running.interrupt();
    });
    await new Promise<void>((listening) => busy.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
    const running = cli.start([...command, '--url', url]);
    const { code } = await running.finished;
    expect([code, asked]).toEqual([130, 3]);
    busy.closeAllConnections();
    await new Promise((closed) => busy.close(closed));
    expect((await cli.run([...command, '--url', url])).code).toBe(3);
  });

  it('says what to do about a path that holds no such export', async () => {
    const asked = server.events.length;
    const fail = async (product: string, path: string) => {
      const { code, err } = await cli.run(['import', product, path]);
      expect(code).toBe(2);
      return err.replaceAll(path, 'PATH');
    };
    expect(await fail('phoenix', join(writeExport({}), 'none'))).toBe('spandrel: PATH: cannot be read (ENOENT)\n');
    expect(await fail('phoenix', writeExport({ 'a.csv': 'x' }))).toBe(
      'spandrel: PATH: holds no file that is read, .json, .jsonl or .ndjson, also packed as .gz\n' +
        'spandrel: a.csv: is CSV or Parquet, which is not read; export as JSON or JSON lines\n',
    );
    expect(await fail('phoenix', writeExport({ 'observations_v2/1.jsonl': lines(OBSERVATIONS) }))).toMatch(
      /1\.jsonl: is an export of langfuse; spandrel import langfuse reads it\n$/,
    );
    expect(await fail('opik', writeExport({ 'trace.json': PHOENIX_TRACE }))).toMatch(/is an export of phoenix/);
    expect(await fail('langfuse', writeExport({ 'trace_1.json': OPIK_FILE }))).toMatch(/is an export of opik/);
    const others = { 'a.json': { odd: 1 }, 'b.jsonl': 'no\n', 'c.json': [] };
    for (const product of ['langfuse', 'phoenix', 'opik']) {
      expect(await fail(product, writeExport(others))).toMatch(
        new RegExp(
          `^spandrel: PATH: holds nothing of an export of ${product}\n` +
            `spandrel: a\\.json, line 1: holds no trace.*\nspandrel: b\\.jsonl, line 1: not valid JSON.*\n$`,
        ),
      );
    }
    expect(await fail('langfuse', writeExport({ 'prj/manifests/1.json': { version: 1 } }))).toBe(
      'spandrel: PATH: holds nothing of an export of langfuse\n' +
        'spandrel: prj/manifests/1.json: is a part of the export that is not taken\n',
    );
    expect(await fail('braintrust', writeExport({}))).toMatch(/Allowed choices are langfuse, phoenix, opik/);
    expect(server.events).toHaveLength(asked);
  });
});

const questionOf = ({ input, output }: { input: unknown; output: unknown }) => ({ input, output });

interface RecordedSpan {
  name: string;
  startUnixNano: string;
  endUnixNano: string;
  status?: { code: string; message: string };
  attributes: Record<string, unknown>;
}

const anyValue = (value: unknown): object =>
  typeof value === 'number'
    ? Number.isInteger(value)
      ? { intValue: value }
      : { doubleValue: value }
    : typeof value === 'boolean'
      ? { boolValue: value }
      : Array.isArray(value)
        ? { arrayValue: { values: value.map(anyValue) } }
        : { stringValue: value };

/** Nanoseconds as the time that Python writes. */
const timeOf = (nanos: string): string =>
  `${new Date(Number(nanos.slice(0, -6))).toISOString().slice(0, 19)}.${nanos.slice(-9)}+00:00`;
