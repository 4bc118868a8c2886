/** `spandrel replay` (docs/cli.md), on a server in this process. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ReplayResource } from '@spandrel/contract';
import { EvalCommandLab } from '../cli/eval-command-lab.ts';

let lab: EvalCommandLab;
beforeAll(async () => {
  lab = await EvalCommandLab.open();
  const span = (index: number, tokens: number) => ({
    ...{ id: `call-${index}`, trace_id: 'prod', name: 'answer' },
    kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: tokens, output_tokens: tokens },
    input: [{ role: 'user', content: `question ${index}` }],
    output: { text: `You said: question ${index}` },
    ...(index === 0 && { error: 'HTTP 500: no' }),
    started_at: new Date(Date.now() - 60_000).toISOString(),
    ended_at: new Date(Date.now() - 50_000 - index).toISOString(),
  });
  await lab.api.post('/api/ingest', {
    traces: [{ id: 'prod', tags: ['prod'] }],
    spans: Array.from({ length: 12 }, (_, index) => span(index, 5_000 + index)),
  });
});
afterAll(() => lab.close());

const replay = (...more: string[]) =>
  lab.cli.run(['replay', '--since', '1d', '--tag', 'prod', '--connection', 'fake', ...more]);

it('compares quality, money and speed with what was recorded, and ends with 0 where nothing is worse', async () => {
  const { code, out, err } = await replay('--scorer', 'preference', '--max-cost', '5', '--fail-on-regression');
  expect([code, err]).toEqual([0, expect.stringContaining('11 of 12 calls replayed; left out: 1 failed')]);
  expect(out).toMatch(/^Compared with Recorded: .*: No difference shown.*; 100% cheaper, [\d.]+ times faster\.$/m);
});

it('ends with 11 where the run is worse', async () => {
  const { code } = await replay(
    '--scorer',
    'contains',
    '--model',
    'fake:chance:0.1',
    '--sample',
    '11',
    '--fail-on-regression',
  );
  const { body } = await lab.api.get<{ replays: ReplayResource[] }>('/api/replays?limit=1');
  expect([code, body.replays[0]]).toMatchObject([11, { matched: 12, taken: 11 }]);
});

it('says what is wrong before anything is started', async () => {
  expect((await replay('--threshold', 'nonsense')).code).toBe(2);
  expect(await replay('--since', '2999-01-01')).toMatchObject({
    code: 4,
    err: expect.stringContaining('no span matches'),
  });
});
