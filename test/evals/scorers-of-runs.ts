import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { EvalRunResource, Problem } from '@spandrel/contract';
import { ExternalLab } from './external-lab.ts';
import type { EvalsLab } from './evals-lab.ts';
import { refused, said, startScriptedProvider, type ScriptedCall, type ScriptedProvider } from './scripted-provider.ts';

/** What the rubric of each name says first. */
const RUBRIC_STARTS: Readonly<Record<string, string>> = {
  faithfulness: 'Judge whether the output says only what its sources support.',
  answer_relevance: 'Judge whether the output answers what the input asks.',
  toxicity: 'Judge whether the output is free of toxic language.',
  tone: 'Judge whether the tone of the output is that of a good professional',
};

/** Dollars for a token of text-embedding-3-small. */
const EMBEDDED_TOKEN = 0.02 / 1e6;

/** A text's vector by its letters: texts of the same letters point the same way. */
const vectorOf = (text: string): number[] => Array.from('abcdefgh', (letter) => text.split(letter).length - 1);

function cosine(one: number[], other: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

/** Scorers that come with the server, in runs that it executes and in those of others. */
export function scorersOfRuns(lab: () => EvalsLab): void {
  describe('a built-in scorer', () => {
    let provider: ScriptedProvider | undefined;
    let connection: string | undefined;
    afterAll(() => provider?.close());

    /** A connection whose model repeats the question, and which embeds. */
    async function connect(): Promise<string> {
      if (connection) return connection;
      const answer = ({ path, body }: ScriptedCall) => {
        if (!path.endsWith('/embeddings')) return said((body['messages'] as { content: string }[]).at(-1)!.content);
        const texts = body['input'] as string[];
        if (texts.some((text) => text.includes('refuse'))) return refused(400, 'too long');
        const data = texts.map((text, index) => ({ index, embedding: vectorOf(text) }));
        // Voyage reports all tokens and no others.
        return { status: 200, body: { data: data.toReversed(), usage: { total_tokens: 40 } } };
      };
      provider = await startScriptedProvider(answer);
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'repeats', provider: 'custom', api_key: 'k-123456789', base_url: `${provider.url}/v1` },
        default_model: 'gpt-4.1-mini',
      });
      return (connection = body.id);
    }

    const expecting = (input: string, expected: unknown) =>
      ({ Generic: { input, expected_output: expected } }) as Parameters<EvalsLab['dataset']>[0];

    const SCORERS = [
      { scoring: 'Regex', scoring_config: { pattern: '^\\{.*\\}$' } },
      { scoring: 'JsonSchema', scoring_config: { schema: { properties: { n: { type: 'integer' } } } } },
      { scoring: 'JsonEqual', scoring_config: { number_tolerance: 0.5 } },
      { scoring: 'Levenshtein', weight: 2 },
    ];
    const OUTPUTS: [output: string, expected: unknown, scores: [number, number, number, number]][] = [
      ['{"n": 1}', { n: 1 }, [1, 1, 1, 1 - 1 / 8]],
      ['{"n":1.5}', { n: 1 }, [1, 0, 1, 1 - 2 / 9]],
      ['{"n":2}', { n: 1 }, [1, 1, 0, 1 - 1 / 7]],
      ['none', { n: 1 }, [0, 0, 0, 1 - 6 / 7]],
      ['{"n":9007199254740993}', { n: JSON.rawJSON('9007199254740992') }, [1, 1, 0, 1 - 1 / 22]],
    ];
    /** What the runs of both kinds must have. */
    function assertScores(run: EvalRunResource): void {
      const seen = run.result_items.map(({ scores }) => SCORERS.map(({ scoring }) => scores[scoring]!.score));
      expect(seen).toEqual(OUTPUTS.map(([, , scores]) => scores));
      for (const [at, [, , [regex, schema, equal, like]]] of OUTPUTS.entries()) {
        expect(run.result_items[at]!.score).toBeCloseTo((regex + schema + equal + 2 * like) / 5, 12);
      }
      expect(run.result_items.map(({ scores }) => scores['JsonEqual']!.reason)).toEqual([
        ...[null, null, '$.n: 2 instead of 1', 'the output is not JSON'],
        '$.n: 9007199254740993 instead of 9007199254740992',
      ]);
      expect(run.result_items[1]!.scores['JsonSchema']!.reason).toBe('output/n must be integer');
    }

    it('scores by patterns, schemas, JSON and letters', async () => {
      const { id } = await lab().dataset(...OUTPUTS.map(([output, expected]) => expecting(output, expected)));
      const config = { connection_id: await connect() };
      assertScores(await lab().run(id, { scoring: undefined, scorers: SCORERS, config }));
    });

    it('scores the results of an external run alike', async () => {
      const kinds = OUTPUTS.map(([, expected]) => expecting('?', expected));
      const { id, datapointIds } = await lab().dataset(...kinds);
      const body = { name: 'external', execution: 'external', scorers: SCORERS };
      const { body: run } = await lab().api.post<EvalRunResource>(`/api/datasets/${id}/eval`, body);
      const results = OUTPUTS.map(([output], at) => ({ datapoint_id: datapointIds[at], output }));
      await new ExternalLab(lab()).add(run.id, results);
      assertScores(await lab().ended(run.id));
    });

    it('scores by what an output took', async () => {
      const scorers = [
        { scoring: 'Latency', scoring_config: { max_ms: 1_000 } },
        { scoring: 'Cost', scoring_config: { max_usd: 0.01 } },
      ];
      const external = new ExternalLab(lab());
      const { id, datapointIds } = await external.start(['a', 'b', 'c', 'd'], { scorers });
      await external.add(id, [
        { datapoint_id: datapointIds[0], output: 'x', latency_ms: 1_000, cost: 0.01 },
        { datapoint_id: datapointIds[1], output: 'x', latency_ms: 1_001, cost: 0.0101 },
        { datapoint_id: datapointIds[2], output: 'x', latency_ms: 5 },
        { datapoint_id: datapointIds[3], output: 'x', cost: 0 },
      ]);
      const run = await lab().ended(id);
      expect(run.result_items.map(({ scores }) => [scores['Latency']!.score, scores['Cost']!.score])).toEqual([
        ...[
          [1, 1],
          [0, 0],
        ],
        ...[
          [1, null],
          [null, 1],
        ],
      ]);
      expect(run.result_items.map(({ error }) => error)).toEqual([
        ...[null, null],
        'Cost: it is not known what the output cost: its model has no price, or no tokens',
        'Latency: it is not known how long the output took',
      ]);
      // A run of the server knows both: 3 and 2 tokens.
      const { id: datasetId } = await lab().dataset('one');
      const own = (max: number) =>
        lab().run(datasetId, {
          ...{ scoring: undefined, scorers: [scorers[0], { scoring: 'Cost', scoring_config: { max_usd: max } }] },
        });
      const { cost } = (await own(0)).result_items[0]!;
      expect(cost).toBeGreaterThan(0);
      const at = await own(cost!);
      expect([at.result_items[0]!.scores['Cost'], at.result_items[0]!.scores['Latency']]).toMatchObject([
        { score: 1 },
        { reason: `${at.result_items[0]!.latency_ms} ms, and 1000 ms pass` },
      ]);
      expect((await own(cost! * 0.99)).result_items[0]!.scores['Cost']!.score).toBe(0);
    });

    it('compares by meaning, at the cost of a judge', async () => {
      const pairs: [string, unknown][] = [
        ['abc', 'cab'],
        ['abc', 'def'],
        ['aab', 'abb'],
        ['abc', ''],
      ];
      const { id } = await lab().dataset(
        ...pairs.map(([output, expected]) => expecting(output, expected)),
        expecting('refuse', 'this'),
        'expects nothing',
      );
      const judge = { model: 'text-embedding-3-small' };
      const config = { connection_id: await connect(), judge, trace: true };
      const before = provider!.calls.length;
      const run = await lab().run(id, { scoring: 'EmbeddingSimilarity', config });
      const scores = pairs.map(([output, expected]) =>
        expected === '' ? 0 : cosine(vectorOf(output), vectorOf(String(expected))),
      );
      for (const [at, score] of scores.entries()) expect(run.result_items[at]!.score).toBeCloseTo(score, 12);
      expect(run.result_items[2]).toMatchObject({
        judge_model: judge.model,
        judge_tokens: 40,
        score_reason: 'cosine 0.8000',
      });
      expect(run.result_items.slice(4).map(({ error }) => error)).toEqual([
        expect.stringMatching(/^EmbeddingSimilarity: HTTP 400 .*too long/),
        'EmbeddingSimilarity: the datapoint has no expected value to compare with',
      ]);
      // Three were embedded, each with what was expected in one call.
      const embedded = provider!.calls.slice(before).filter(({ input }) => input !== undefined);
      expect(embedded.map(({ input }) => (input as string[]).length)).toEqual([2, 2, 2, 2]);
      expect([run.judge_tokens, run.judge_cost]).toEqual([120, expect.closeTo(120 * EMBEDDED_TOKEN, 15)]);
      const { body: trace } = await lab().api.get<{
        spans: { name: string; kind: object; input: unknown; output: unknown }[];
      }>(`/api/traces/${run.result_items[0]!.trace_id}`);
      expect(JSON.stringify(trace)).toContain('embedding call');
    });

    it('counts in one cost with the calls, wherever one is shown', async () => {
      const { id } = await lab().dataset(...['abc', 'abd', 'acd'].map((text) => expecting(text, 'abc')));
      const config = { connection_id: await connect() };
      const judged = { ...config, judge: { model: 'text-embedding-3-small' } };
      const run = await lab().run(id, { scoring: 'EmbeddingSimilarity', config: judged });
      const plain = await lab().run(id, { config });
      const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + value!, 0);
      const calls = sum(run.result_items.map(({ cost }) => cost));
      const judges = sum(run.result_items.map(({ judge_cost: cost }) => cost));
      expect(judges).toBeCloseTo(120 * EMBEDDED_TOKEN, 15);
      const split = {
        call_cost: expect.closeTo(calls, 15),
        judge_cost: expect.closeTo(judges, 15),
      };
      const whole = { total_cost: expect.closeTo(calls + judges, 15), ...split };
      const alone = { total_cost: plain.total_cost, call_cost: plain.total_cost, judge_cost: null };
      expect(plain.total_cost).toBeCloseTo(calls, 15);
      expect(run).toMatchObject(whole);
      const [listedPlain, listed] = await lab().runs(id);
      expect([listed, listedPlain]).toMatchObject([whole, alone]);
      const compared = await lab().api.get(`/api/datasets/${id}/compare?runs=${run.id},${plain.id}`);
      expect(compared.body).toMatchObject({ runs: [whole, alone] });
      const { body: statistics } = await lab().api.get(`/api/eval/${run.id}/statistics?baseline=${plain.id}`);
      expect(statistics).toMatchObject({
        cost: { count: 3, mean: expect.closeTo((calls + judges) / 3, 15), total: run.total_cost },
        ...split,
        comparison: { cost: { pairs: 3, diff: expect.closeTo(judges / 3, 15) } },
      });
      const gates = [
        { metric: 'total_cost', op: '<=', value: run.total_cost! - judges / 2 },
        { metric: 'total_cost', op: '<=', value: run.total_cost! },
        { metric: 'mean_cost', op: '<', value: (calls + judges / 2) / 3 },
      ];
      const { body } = await lab().api.post<EvalRunResource>(`/api/eval/${run.id}/gates`, { gates });
      expect(body.gates.map(({ passed }) => passed)).toEqual([false, true, false]);
      expect(body.gates[2]!.actual).toBeCloseTo((calls + judges) / 3, 15);
    });

    it('keeps a cap with the cost of vectors', async () => {
      const { id } = await lab().dataset(...Array.from({ length: 6 }, () => expecting('abc', 'abd')));
      const judge = { model: 'text-embedding-3-small' };
      const body = { scoring: 'EmbeddingSimilarity', config: { connection_id: await connect(), judge } };
      const whole = await lab().run(id, body);
      const one = whole.total_cost! / 6;
      const capped = await lab().run(id, { ...body, max_cost_usd: one * 3.5 });
      expect(capped).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', sample_progress: 3 });
    });

    it('is checked when a run starts, at its path', async () => {
      const { id } = await lab().dataset(expecting('a', 'b'));
      const faultsOf = async (scorers: object[], more: object = {}) => {
        const { status, body } = await lab().start<Problem>(id, { scoring: undefined, scorers, ...more });
        expect(status).toBe(400);
        return body.errors?.map(({ path, message }) => `${path} ${message}`);
      };
      const scorer = (scoring: string, config?: object, judge?: object) => ({ scoring, scoring_config: config, judge });
      expect(
        await faultsOf([
          scorer('Regex'),
          { ...scorer('Regex', { pattern: 'a(?=b)' }), name: 'look' },
          scorer('JsonSchema', { schema: { type: 'text' } }),
          scorer('JsonEqual', { number_tolerance: -1 }),
          scorer('Levenshtein', { ignore_case: true }),
          scorer('Latency'),
          scorer('Cost', { max_usd: 'much' }),
          scorer('LlmJudge', { rubric: 'toxcity' }),
          { ...scorer('LlmJudge', undefined, { rubric: 'tonee' }), name: 'tone' },
        ]),
      ).toEqual([
        'scorers[0].scoring_config.pattern is required',
        expect.stringMatching(/^scorers\[1\]\.scoring_config\.pattern cannot be used: /),
        expect.stringMatching(/^scorers\[2\]\.scoring_config\.schema cannot be used: schema\/type must be /),
        expect.stringMatching(/^scorers\[3\]\.scoring_config\.number_tolerance /),
        expect.stringMatching(/^scorers\[4\]\.scoring_config/),
        'scorers[5].scoring_config.max_ms is required',
        expect.stringMatching(/^scorers\[6\]\.scoring_config\.max_usd /),
        'scorers[7].scoring_config.rubric is nearly the name of a rubric: is toxicity meant?',
        'scorers[8].judge.rubric is nearly the name of a rubric: is tone meant?',
      ]);
      expect(await faultsOf([scorer('EmbeddingSimilarity')])).toEqual([
        'scorers[0].judge.model is required: EmbeddingSimilarity asks a model of embeddings',
      ]);
      const { body: claude } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'claude', provider: 'anthropic', api_key: 'k-123456789', default_model: 'claude-haiku-4-5' },
      });
      expect(await faultsOf([scorer('EmbeddingSimilarity', {}, { connection_id: claude.id })])).toEqual([
        'scorers[0].judge.connection_id must be of a connection that makes embeddings, which the provider anthropic does not',
      ]);
      const external = await lab().api.post<Problem>(`/api/datasets/${id}/eval`, {
        ...{ name: 'x', execution: 'external', scoring: 'EmbeddingSimilarity', config: { judge: { model: 'm' } } },
      });
      expect(external.body.errors?.map(({ path }) => path)).toEqual(['config.judge.connection_id']);
    });

    it('is worth what the labelled outputs show of it', async () => {
      const labelled = JSON.parse(
        readFileSync(new URL('../../plugins/scoring/llm-judge/fixtures/labelled.json', import.meta.url), 'utf8'),
      ) as Record<string, { input: string; output: string; good: boolean }[]>;
      // A judge who is right, but passes two bad ones about relevance, fails a good one, and has no verdict on another.
      const relevance = labelled['answer_relevance']!;
      const [failed, unscored] = relevance.filter(({ good }) => good);
      const passed = relevance.filter(({ good }) => !good).slice(0, 2);
      const judge = await startScriptedProvider(({ body }) => {
        const prompt = (body['messages'] as { content: string }[]).map(({ content }) => content).join('\n');
        const [rubric, found] = Object.entries(labelled)
          .flatMap(([name, samples]) => samples.map((sample) => [name, sample] as const))
          .find(([name, { input, output }]) => {
            const isAsked = prompt.includes(`\n${input}\nEND INPUT`) && prompt.includes(`\n${output}\nEND OUTPUT`);
            return isAsked && prompt.includes(RUBRIC_STARTS[name]!);
          })!;
        expect([...Object.keys(labelled)]).toContain(rubric);
        if (found === unscored) return said('I would rather not say.');
        const isGood = found === failed ? false : found.good || passed.includes(found);
        return said(JSON.stringify({ score: isGood ? 0.75 : 0.25, reason: 'so it is' }));
      });
      try {
        await lab().api.post('/api/provider-connections', {
          ...{ name: 'judge of rubrics', provider: 'custom', api_key: 'k-123456789', base_url: `${judge.url}/v1` },
        });
        const { measureRubrics } = (await import('../../scripts/measure-rubrics.mjs' as string)) as {
          measureRubrics(server: { url: string }, judge: { connection: string; model?: string }): Promise<object[]>;
        };
        const server = { url: lab().server.url };
        const measured = await measureRubrics(server, { connection: 'judge of rubrics', model: 'm' });
        const right = { outputs: 10, unscored: 0, agreement: 1, bad_passed: 0, good_failed: 0, kappa: 1 };
        const means = { mean_good: 0.75, mean_bad: 0.25 };
        expect(measured).toEqual([
          { rubric: 'faithfulness', ...right, ...means },
          // Nine have a verdict: 3 good and passed, 1 good and failed, 2 bad and passed, 3 bad and failed.
          {
            ...{ rubric: 'answer_relevance', outputs: 10, unscored: 1, bad_passed: 2, good_failed: 1 },
            agreement: 6 / 9,
            // (p - e) / (1 - e), with e = 5/9 · 4/9 + 4/9 · 5/9 = 40/81.
            kappa: expect.closeTo((54 - 40) / (81 - 40), 12),
            ...{ mean_good: (3 * 0.75 + 0.25) / 4, mean_bad: (2 * 0.75 + 3 * 0.25) / 5 },
          },
          { rubric: 'toxicity', ...right, ...means },
          { rubric: 'tone', ...right, ...means },
        ]);
        await expect(measureRubrics(server, { connection: 'nobody' })).rejects.toThrow('there is no connection nobody');
      } finally {
        await judge.close();
      }
    });

    it('fails a sample that would take for ever, and the others have their scores', async () => {
      const nested = `${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`;
      // Each level looks at the next one twice: 2^60 looks.
      const twice = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
      const { id } = await lab().dataset(nested, '{"a":{}}');
      const config = { connection_id: await connect() };
      const run = await lab().run(id, { scoring: 'JsonSchema', scoring_config: { schema: twice }, config });
      expect(run.result_items.map(({ score, error }) => [score, error])).toEqual([
        [null, 'JsonSchema: took longer than 10 s'],
        [1, null],
      ]);
    }, 60_000);
  });
}
