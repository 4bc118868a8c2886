import { afterEach, describe, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { refused, said, startScriptedProvider, type ScriptedCall, type ScriptedProvider } from './scripted-provider.ts';

/** What runs do with providers that limit calls, or do not take what a call has. */
export function providersOfRuns(lab: () => EvalsLab): void {
  const providers: ScriptedProvider[] = [];
  afterEach(() => Promise.all(providers.splice(0).map((provider) => provider.close())));
  const calls = () => providers.at(-1)!.calls;

  /** A connection to a provider that answers by a script. */
  async function connect(script: Parameters<typeof startScriptedProvider>[0], kind = 'custom'): Promise<string> {
    const provider = await startScriptedProvider(script);
    providers.push(provider);
    const base = kind === 'anthropic' ? provider.url : `${provider.url}/v1`;
    const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'scripted', provider: kind, api_key: 'k-123456789', base_url: base, default_model: 'm' },
    });
    return body.id;
  }

  const lastMessage = ({ body }: ScriptedCall): string => (body['messages'] as { content: string }[]).at(-1)!.content;
  const isJudge = (call: ScriptedCall): boolean => lastMessage(call).startsWith('BEGIN INPUT');
  const scoresOf = ({ result_items: items }: EvalRunResource) => items.map(({ score }) => score);

  describe('a provider', () => {
    it('that allows two calls a second fails two of 24 items at most, with Retry-After or without', async () => {
      const { id } = await lab().dataset(...Array.from({ length: 24 }, (_, n) => `question ${n}`));
      const failed = [{}, { 'retry-after': '1' }].map(async (headers) => {
        // By its own clock: a machine that is slow only spaces the calls out.
        let allowed: number[] = [];
        const connection = await connect((call) => {
          const now = performance.now();
          allowed = allowed.filter((at) => now - at < 1_000);
          if (allowed.length >= 2) return { ...refused(429, 'Rate limit reached', { code: 'rate_limit' }), headers };
          allowed.push(now);
          return said(lastMessage(call));
        });
        const { body: run } = await lab().start(id, { config: { connection_id: connection } });
        const ended = await lab().ended(run.id, 120_000);
        expect([ended.status, ended.progress]).toEqual(['completed', 24]);
        return ended.failed_count;
      });
      for (const count of await Promise.all(failed)) expect(count).toBeLessThanOrEqual(2);
    }, 150_000);

    it('that takes no temperature is asked by judges without one, once it has refused one', async () => {
      const connection = await connect((call) => {
        if (call.body['temperature'] !== undefined) {
          return refused(400, "Unsupported value: 'temperature' does not support 0 with this model.", {
            ...{ param: 'temperature', code: 'unsupported_value' },
          });
        }
        return said(isJudge(call) ? '{"score": 0.5, "reason": "so so"}' : 'answer');
      });
      const { id } = await lab().dataset('one', 'two', 'three', 'four', 'five', 'six');
      const config = { connection_id: connection };
      const run = await lab().run(id, { scoring: 'LlmJudge', config });
      expect(scoresOf(run)).toEqual(Array<number>(6).fill(0.5));
      // Four items at once may find out at the same time.
      const refusals = calls().filter(({ temperature }) => temperature === 0).length;
      expect(refusals).toBeGreaterThan(0);
      expect(refusals).toBeLessThanOrEqual(4);
      const asked = calls().length;
      const without = await lab().run(id, { scoring: 'LlmJudge', config: { ...config, judge: { temperature: null } } });
      expect(scoresOf(without)).toEqual(Array<number>(6).fill(0.5));
      expect(without.config.judge).toEqual({ connection_id: null, model: null, rubric: null, temperature: null });
      expect(
        calls()
          .slice(asked)
          .map((body) => 'temperature' in body),
      ).toEqual(Array<boolean>(12).fill(false));
      const wanted = await lab().run(id, { scoring: 'LlmJudge', config: { ...config, judge: { temperature: 0.5 } } });
      expect([wanted.failed_count, wanted.result_items[0]!.error]).toEqual([
        6,
        expect.stringMatching(/^LlmJudge: HTTP 400 .*'temperature' does not support/),
      ]);
      expect(calls().at(-1)).toMatchObject({ temperature: 0.5 });
    });

    it('of Anthropic that takes no temperature is asked without one, too', async () => {
      const connection = await connect((call) => {
        if (call.body['temperature'] !== undefined) {
          const error = { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' };
          return { status: 400, body: { type: 'error', error } };
        }
        const text = isJudge(call) ? '<think>{"score": 0}</think>{"score": "1.0"}' : 'answer';
        const usage = { input_tokens: 3, output_tokens: 2 };
        return {
          status: 200,
          body: { type: 'message', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage },
        };
      }, 'anthropic');
      const { id } = await lab().dataset('one');
      const run = await lab().run(id, { scoring: 'LlmJudge', config: { connection_id: connection } });
      expect(scoresOf(run)).toEqual([1]);
    });

    it('is sent the limit of an answer in the member that it takes', async () => {
      let takes = 'max_completion_tokens';
      const connection = await connect((call) => {
        const other = takes === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
        if (other in call.body) return refused(400, `Unsupported parameter: '${other}' is not supported.`);
        return said(`${String(call.body[takes])} tokens`);
      });
      const { id } = await lab().dataset('one', 'two');
      const config = { connection_id: connection, max_tokens: 7 };
      const outputs = (run: EvalRunResource) => run.result_items.map(({ output }) => output);
      expect(outputs(await lab().run(id, { config }))).toEqual(['7 tokens', '7 tokens']);
      const named = await lab().run(id, { config: { ...config, max_tokens_member: 'max_completion_tokens' } });
      expect(outputs(named)).toEqual(['7 tokens', '7 tokens']);
      expect(named.config.max_tokens_member).toBe('max_completion_tokens');
      expect(named.result_items.map(({ attempts }) => attempts)).toEqual([1, 1]);
      takes = 'max_tokens';
      expect(outputs(await lab().run(id, { config }))).toEqual(['7 tokens', '7 tokens']);
      const wrong = await lab().run(id, { config: { ...config, max_tokens_member: 'max_completion_tokens' } });
      expect(wrong.failed_count).toBe(2);
    });

    it('gets numbers of a datapoint as its file has them', async () => {
      const connection = await connect((call) => said(lastMessage(call)));
      const { body } = await lab().api.post<{ id: string }>('/api/datasets', { name: 'numbers' });
      const csv =
        'input,expected_output\n3.10,3.10\n1e5,1e5\n-0,-0\n00501,00501\n12345678901234567890,12345678901234567890\n';
      const form = new FormData();
      form.append('file', new Blob([csv]), 'numbers.csv');
      const imported = await fetch(`${lab().server.url}/api/datasets/${body.id}/import`, {
        method: 'POST',
        body: form,
      });
      expect(imported.status).toBe(201);
      const run = await lab().run(body.id, { scoring: 'ExactMatch', config: { connection_id: connection } });
      const written = ['3.10', '1e5', '-0', '00501', '12345678901234567890'];
      expect(run.result_items.map(({ output, expected, score }) => [output, expected, score])).toEqual(
        written.map((number) => [number, number, 1]),
      );
    });
  });
}
