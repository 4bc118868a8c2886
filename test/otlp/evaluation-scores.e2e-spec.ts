/** Evaluation results of OpenTelemetry are scores (docs/spec/otlp.md#evaluation-results), on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ScoreResource } from '@spandrel/contract';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { logExport, spanExport, spanIdOf, START, traceIdOf } from './exported.ts';

const RESULT = 'gen_ai.evaluation.result';
const RELEVANCE = {
  'gen_ai.evaluation.name': 'Relevance',
  'gen_ai.evaluation.score.value': 0.75,
  'gen_ai.evaluation.score.label': 'relevant',
  'gen_ai.evaluation.explanation': 'It answers the question.',
  'gen_ai.response.id': 'chatcmpl-1',
};
const SCORE = {
  ...{ name: 'Relevance', value: 0.75, label: 'relevant', comment: 'It answers the question.', source: 'code' },
  ...{ author: 'opentelemetry', metadata: { response_id: 'chatcmpl-1' } },
};

describeOnBothDatabases('evaluation results', ({ newDatabase }) => {
  let server: ServerApp;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('evaluation_results'));
  });
  afterAll(() => server?.close());

  async function send(path: '/v1/traces' | '/v1/logs', body: object): Promise<void> {
    expect(await server.api.send('POST', path, body)).toMatchObject({ status: 200, body: {} });
  }
  const span = (trace: string, attributes?: Record<string, string | number>) => {
    const events = attributes ? [{ name: RESULT, at: START, attributes }] : [];
    return send('/v1/traces', spanExport({ trace, span: trace, events }));
  };
  const log = (trace: string, body: Record<string, string | number>, at = START) =>
    send('/v1/logs', logExport({ trace, span: trace, event: RESULT, body, at }));
  const scoresOf = async (trace: string): Promise<ScoreResource[]> =>
    (await server.api.send<{ scores: ScoreResource[] }>('GET', `/api/scores?trace_id=${traceIdOf(trace)}`)).body.scores;

  it('of a span are its scores, once however often they are sent', async () => {
    for (let time = 0; time < 2; time++) await span('on span', RELEVANCE);
    expect(await scoresOf('on span')).toMatchObject([{ ...SCORE, span_id: spanIdOf('on span') }]);
  });

  it('of log records are scores of their span, whichever comes first, and however often', async () => {
    await span('log after');
    for (let time = 0; time < 2; time++) await log('log after', RELEVANCE);
    for (let time = 0; time < 2; time++) await log('log before', RELEVANCE);
    expect(await scoresOf('log before')).toEqual([]);
    for (let time = 0; time < 2; time++) await span('log before');
    for (const trace of ['log after', 'log before'])
      expect(await scoresOf(trace)).toMatchObject([{ ...SCORE, span_id: spanIdOf(trace) }]);
  });

  it('that come both ways are one score, and several are several', async () => {
    await span('both', RELEVANCE);
    await log('both', RELEVANCE);
    await log('both', { ...RELEVANCE, 'gen_ai.evaluation.score.value': 1 }, START + 1);
    await log('both', { 'gen_ai.evaluation.name': 'Tone', 'gen_ai.evaluation.score.label': 'kind' }, START + 1);
    const scores = (await scoresOf('both')).map(({ name, value, label }) => [name, value, label]);
    expect(scores.toSorted()).toEqual([
      ['Relevance', 0.75, 'relevant'],
      ['Relevance', 1, 'relevant'],
      ['Tone', null, 'kind'],
    ]);
  });

  it('of a span whose id another trace has are scores of that span', async () => {
    await send('/v1/traces', spanExport({ trace: 'holder', span: 'shared' }));
    const events = [{ name: RESULT, at: START, attributes: RELEVANCE }];
    await send('/v1/traces', spanExport({ trace: 'second', span: 'shared', events }));
    const id = `${spanIdOf('shared')}.${traceIdOf('second')}`;
    expect(await scoresOf('second')).toMatchObject([{ ...SCORE, span_id: id }]);
    expect(await scoresOf('holder')).toEqual([]);
  });

  it('are scores however many come, and those that say nothing, or do not fit, are none', async () => {
    await server.api.send('POST', '/api/score-definitions', { name: 'Strict', kind: 'boolean' });
    await span('many');
    const records = Array.from({ length: 250 }, (_, n) => {
      const value = { 'gen_ai.evaluation.name': n < 5 ? 'Strict' : 'Many', 'gen_ai.evaluation.score.value': n };
      return logExport({ trace: 'many', span: 'many', event: RESULT, at: START + n, body: value });
    });
    const all = records.flatMap((one) => (one as { resourceLogs: object[] }).resourceLogs);
    await send('/v1/logs', { resourceLogs: all });
    await log('many', { 'gen_ai.evaluation.name': 'Silent' });
    await log('many', { 'gen_ai.evaluation.score.value': 1 });
    const names = (
      await server.api.send<{ scores: { Strict: object; Many: object } }>(
        'GET',
        `/api/spans?include=scores&trace_id=${traceIdOf('many')}`,
      )
    ).body as unknown as { spans: { scores: object }[] };
    expect(names.spans[0]!.scores).toMatchObject({ Strict: { count: 2 }, Many: { count: 245 } });
    expect(Object.keys(names.spans[0]!.scores)).toEqual(['Many', 'Strict']);
  });
});
