import { describe, expect, it } from '@jest/globals';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import type { EvalsLab } from './evals-lab.ts';

const TOKENS = FAKE_USAGE.input + FAKE_USAGE.output;

/** What providers and judges answer, whatever the database: the rows that come of it are those of `results-of-runs.ts`. */
export function callsOfItems(lab: () => EvalsLab): void {
  const generic = (input: unknown, expected_output?: unknown) => ({ Generic: { input, expected_output } });

  describe('results', () => {
    it('fail when the judge says nothing usable, or nothing at all', async () => {
      const { id } = await lab().dataset(generic('q'));
      for (const [model, error] of [
        ['gpt-5.1', /^LlmJudge: /],
        ['fake:judge:7', /^LlmJudge: /],
        [
          'fake:error-401',
          /^LlmJudge: HTTP 401 from http:\/\/127\.0\.0\.1:\d+: .*\(check the api_key of the connection "fake"\)$/,
        ],
      ] as const) {
        const run = await lab().run(id, { scoring: 'LlmJudge', config: { judge: { model } } });
        expect(run.result_items[0]).toMatchObject({ status: 'failed', score: null, output: 'You said: q' });
        expect(run.result_items[0]?.error).toMatch(error);
        expect(run.avg_score).toBeNull();
      }
    });

    it('of calls that fail are failed, the run goes on', async () => {
      const { id } = await lab().dataset(
        'fake:error-429+times:1 once',
        'fake:error-500 always',
        'fake:garbage text',
        'fake:error-key leak',
        'fake:error-404 gone',
        'fine',
      );
      lab().provider.requests.length = 0;
      const run = await lab().run(id, { scoring: 'None' });
      expect(run).toMatchObject({ status: 'completed', progress: 6, failed_count: 4 });
      expect(run.result_items.map(({ status, attempts }) => [status, attempts])).toEqual([
        ['completed', 2],
        ['failed', 2],
        ['failed', 1],
        ['failed', 1],
        ['failed', 1],
        ['completed', 1],
      ]);
      expect([...lab().asked().values()]).toEqual(expect.arrayContaining([2, 2, 1, 1, 1, 1]));
      expect(run.result_items[1]).toMatchObject({
        error: `HTTP 500 from ${lab().provider.url}: fake provider error 500`,
        output: null,
        latency_ms: null,
      });
      expect(run.result_items[2]?.error).toMatch(/^the answer of http:\/\/127\.0\.0\.1:\d+ is not JSON/);
      expect(JSON.stringify(run)).not.toContain('sk-test-fake-key');
      expect(run.result_items[3]?.error).toContain('[redacted]');
    });

    it('that all failed for want of a server say where it was looked for', async () => {
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        name: 'nobody there',
        provider: 'custom',
        api_key: '',
        base_url: 'http://127.0.0.1:9/v1?token=not-for-others',
      });
      const { id } = await lab().dataset('a', 'b');
      const run = await lab().run(id, { config: { connection_id: body.id, model: 'm' } });
      expect(run.error).toBe(
        'all 2 items failed: http://127.0.0.1:9 refused the connection: is the server running, and is this its port? In a container this address is the container itself.',
      );
    });

    it('come from every provider', async () => {
      const { id } = await lab().dataset(generic('tide', 'tide'));
      for (const provider of ['anthropic', 'ollama', 'custom']) {
        const base = provider === 'custom' ? `${lab().provider.url}/v1` : lab().provider.url;
        const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
          name: provider,
          provider,
          api_key: 'k-123456789',
          base_url: base,
        });
        const run = await lab().run(id, {
          scoring: 'Contains',
          config: { connection_id: body.id, model: 'some-model', system_prompt: 'Speak' },
        });
        expect(run.result_items[0]).toMatchObject({
          output: 'You said: tide',
          score: 1,
          tokens: TOKENS,
          cost: null,
          error: null,
        });
      }
    });
  });
}
