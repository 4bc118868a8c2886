/** How judges are asked: by a schema, and once more (docs/spec/evaluations.md#llmjudge). */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { EvalItemList, SpanResource } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import {
  refused,
  said,
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedProvider,
} from './scripted-provider.ts';

const messagesOf = ({ body }: ScriptedCall) => body['messages'] as { role: string; content: string }[];
const isJudge = (call: ScriptedCall): boolean =>
  messagesOf(call).some(({ content }) => content.startsWith('BEGIN INPUT'));
const isAgain = (call: ScriptedCall): boolean =>
  messagesOf(call).at(-1)!.content.startsWith('Your answer cannot be used');

const anthropicSaid = (text: string): ScriptedAnswer => ({
  status: 200,
  body: {
    ...{ type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn' },
    usage: { input_tokens: 3, output_tokens: 2 },
  },
});

const ollamaSaid = (text: string): ScriptedAnswer => ({
  status: 200,
  body: { model: 'm', message: { role: 'assistant', content: text }, done: true, prompt_eval_count: 3, eval_count: 2 },
});

/** Tokens of each call of a script. */
const TOKENS = 5;

export function judgesOfRuns(lab: () => EvalsLab): void {
  const providers: ScriptedProvider[] = [];
  afterEach(() => Promise.all(providers.splice(0).map((provider) => provider.close())));

  async function connect(kind: string, script: (call: ScriptedCall) => ScriptedAnswer) {
    const provider = await startScriptedProvider(script);
    providers.push(provider);
    const base = kind === 'custom' ? `${provider.url}/v1` : provider.url;
    const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'scripted', provider: kind, api_key: 'k-123456789', base_url: base, default_model: 'gpt-5.1' },
    });
    return { connection: body.id, calls: provider.calls };
  }

  describe('a judge', () => {
    it.each<[string, (text: string) => ScriptedAnswer, (body: ScriptedCall['body']) => unknown]>([
      ['custom', said, ({ response_format: format }) => format],
      ['anthropic', anthropicSaid, ({ output_config: config }) => config],
      ['ollama', ollamaSaid, ({ format }) => format],
    ])('of the provider %s is asked by a schema, a model is not', async (kind, answered, schemaOf) => {
      const verdict = '{"score": 0.5, "reason": "so so"}';
      const { connection, calls } = await connect(kind, (call) => answered(isJudge(call) ? verdict : 'answer'));
      const { id } = await lab().dataset('one');
      const run = await lab().run(id, { scoring: 'LlmJudge', config: { connection_id: connection } });
      expect(run.avg_score).toBe(0.5);
      expect(calls).toHaveLength(2);
      expect(schemaOf(calls[0]!)).toBeUndefined();
      const schema = JSON.stringify(schemaOf(calls[1]!));
      expect(schema).toContain('"required":["score","reason"]');
      expect(schema).toContain('"additionalProperties":false');
    });

    it('whose model refuses the schema is asked without it from then on', async () => {
      const { connection, calls } = await connect('custom', (call) => {
        if (call.body['response_format']) return refused(400, "'json_schema' is not possible with this model");
        return said(isJudge(call) ? '{"score": 0.75, "reason": "good"}' : 'answer');
      });
      const { id } = await lab().dataset('one', 'two', 'three', 'four', 'five', 'six');
      const run = await lab().run(id, { scoring: 'LlmJudge', config: { connection_id: connection } });
      expect([run.failed_count, run.avg_score]).toEqual([0, 0.75]);
      const refusals = calls.filter(({ response_format: format }) => format !== undefined).length;
      // Four items at once may find out at the same time.
      expect(refusals).toBeGreaterThan(0);
      expect(refusals).toBeLessThanOrEqual(4);
      expect(calls).toHaveLength(12 + refusals);
    });

    it('whose reply cannot be used is asked once more, and both calls count', async () => {
      const { connection, calls } = await connect('custom', (call) => {
        if (!isJudge(call)) return said('answer');
        return said(isAgain(call) ? '{"score": 0.25, "reason": "weak"}' : 'Quite good, I would say.');
      });
      const { id } = await lab().dataset('one');
      const config = { connection_id: connection, trace: true };
      const run = await lab().run(id, { scoring: 'LlmJudge', config });
      const [item] = run.result_items;
      expect(item).toMatchObject({ status: 'completed', score: 0.25, score_reason: 'weak', attempts: 1 });
      expect([item!.judge_attempts, item!.scores['LlmJudge']!.judge_attempts]).toEqual([2, 2]);
      // Both calls of the judge are of the same model and size as the one of the run.
      expect([item!.tokens, item!.judge_tokens]).toEqual([TOKENS, 2 * TOKENS]);
      expect(item!.judge_cost).toBeCloseTo(item!.cost! * 2, 12);
      expect([run.judge_tokens, run.judge_cost]).toEqual([item!.judge_tokens, item!.judge_cost]);
      const again = calls.at(-1) as { messages: { role: string; content: string }[] };
      expect(again.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
      expect(again.messages[2]!.content).toBe('Quite good, I would say.');
      expect(again.messages[3]!.content).toContain('no JSON object with a score');
      const { body } = await lab().api.get<{ spans: SpanResource[] }>(`/api/traces/${item!.trace_id}`);
      expect(body.spans.map(({ name }) => name)).toEqual(['model call', 'judge call', 'judge call']);
      expect(body.spans[1]!.output).toMatchObject({ text: 'Quite good, I would say.' });
    });

    it('counts in the cost by which items are sorted', async () => {
      const { connection } = await connect('custom', (call) => {
        if (!isJudge(call)) return said('answer');
        const isRefused = JSON.stringify(call.body).includes('twice') && !isAgain(call);
        return said(isRefused ? 'Quite good.' : '{"score": 0.5, "reason": "so so"}');
      });
      const { id, datapointIds } = await lab().dataset('once', 'twice', 'once more');
      const run = await lab().run(id, { scoring: 'LlmJudge', config: { connection_id: connection } });
      const [once, twice, again] = datapointIds;
      const order = async (query: string): Promise<string[]> => {
        const path = `/api/eval/${run.id}/items?sort_by=cost&${query}`;
        return (await lab().api.get<EvalItemList>(path)).body.items.map((item) => item.datapoint_id);
      };
      expect(new Set(run.result_items.map(({ cost }) => cost)).size).toBe(1);
      expect(await order('sort_order=asc')).toEqual([once, again, twice]);
      expect(await order('sort_order=desc')).toEqual([twice, again, once]);
    });

    it('that gives nothing usable twice fails the item, and is not asked a third time', async () => {
      const { connection, calls } = await connect('custom', () => said('Quite good, I would say.'));
      const { id } = await lab().dataset('one');
      const run = await lab().run(id, { scoring: 'LlmJudge', config: { connection_id: connection } });
      expect(run.result_items[0]).toMatchObject({ status: 'failed', score: null, judge_tokens: 2 * TOKENS });
      expect(run.result_items[0]!.error).toBe(
        'LlmJudge: the judge gave no JSON object with a score: "Quite good, I would say."',
      );
      expect(calls).toHaveLength(3);
    });
  });
}
