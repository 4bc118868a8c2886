/** Rules that have live traffic scored: made, tried, seen at work, asked why not, and made to judge what was before. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { ScoreResource, ScoringRuleResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { refused, said, startScriptedProvider, type ScriptedProvider } from '../evals/scripted-provider.ts';
import { expectNoFaultsBut, hasBrowser, inBrowser } from './dashboard-browser.ts';
import { button, grid, open, reported } from './dataset-steps.ts';
import { expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const VERDICT = '{"score": 0.75, "reason": "It is polite."}';
let judge: ScriptedProvider;
let answer = () => said(VERDICT);

/** A trace of a call that ends now. */
async function record(id: string): Promise<void> {
  const at = new Date().toISOString();
  const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', prompt_tokens: 3, completion_tokens: 2 };
  const span = { id: `${id}-call`, trace_id: id, name: 'ask', kind, input: 'Where is it?', output: 'In Paris, sir.' };
  const ended = { started_at: at, ended_at: at, status: 'completed' };
  await program.api.post('/api/ingest', { traces: [{ id, name: id, started_at: at }], spans: [{ ...span, ...ended }] });
}

async function prepare(): Promise<void> {
  const body = { name: 'Judges', provider: 'openai', api_key: 'sk-x', base_url: `${judge.url}/v1` };
  await program.api.post('/api/provider-connections', { ...body, default_model: 'gpt-4o' });
  await record('earlier');
}

const scores = async (): Promise<ScoreResource[]> =>
  (await program.api.get<{ scores: ScoreResource[] }>('/api/scores')).body.scores;
const rules = async (): Promise<readonly ScoringRuleResource[]> =>
  (await program.api.get<{ scoring_rules: ScoringRuleResource[] }>('/api/scoring-rules')).body.scoring_rules;
const chips = (): Locator => page.getByRole('list', { name: 'Span scores' }).getByRole('button');
const dialog = (name: string): Locator => page.getByRole('dialog', { name });
/** The numbers of all 24 hours: matched, sampled, scored, failed, over budget, overload. */
const numbers = (): Promise<string[]> => page.getByRole('row', { name: /^All/ }).getByRole('cell').allTextContents();

/** Why the span has no score by a rule, as its page says. */
async function why(trace: string, rule: string): Promise<Locator> {
  await open(`/traces/${trace}`);
  const details = page.getByRole('region', { name: 'Span details' });
  await details.getByRole('button', { name: 'Why was this not scored?' }).press('Enter');
  return dialog('Why was this not scored?').getByRole('region', { name: rule });
}

describe('scoring rules', () => {
  beforeAll(async () => {
    const models = { status: 200, body: { data: [{ id: 'gpt-4o' }] } };
    if (hasBrowser) judge = await startScriptedProvider(({ path }) => (path.endsWith('/models') ? models : answer()));
  });
  journeysOn(prepare, { isOneVisit: true })();
  afterAll(async () => {
    if (!hasBrowser) return;
    for (const { id } of await rules()) await program.api.delete(`/api/scoring-rules/${id}`);
    await judge.close();
  });

  inBrowser('are made by keys alone, and what is wrong is said at its field', async () => {
    await open('/traces');
    await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor();
    await pressInTurn(page, 'g', 'o');
    await page.getByRole('heading', { name: 'No scoring rules yet' }).waitFor();
    await expectAccessible(watched);
    await tabTo(button('New rule'));
    await page.keyboard.press('Enter');
    const form = dialog('New scoring rule');
    const put = async (name: string, text: string): Promise<void> => {
      await tabTo(form.getByLabel(name, { exact: true }));
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    };
    await put('Name', 'polite');
    await put('Judge model', 'mystery');
    await tabTo(form.getByLabel('Rubric', { exact: true }));
    await page.keyboard.type('In your');
    await put('Your rubric', 'Is the answer polite?');
    await put('Budget per day (USD)', '2');
    await tabTo(form.getByLabel('Score live traffic from now on'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await form.getByText(/the model "mystery" has no price/).waitFor();
    await expectAccessible(watched);
    await form.getByLabel('Judge model').fill('');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'polite', level: 1 }).waitFor();
    expect(await rules()).toEqual([
      expect.objectContaining({
        ...{ name: 'polite', enabled: false, target: 'span', sample_rate: 1, max_cost_usd_per_day: 2 },
        scoring_config: { rubric: 'Is the answer polite?' },
      }),
    ]);
  });

  inBrowser('are tried on a span, and nothing is stored', async () => {
    await tabTo(button('Test on a span'));
    await page.keyboard.press('Enter');
    const test = dialog('Test polite');
    await expectSoon(() => test.getByLabel('Span ID').inputValue(), 'earlier-call');
    await tabTo(test.getByRole('button', { name: 'Test', exact: true }));
    await page.keyboard.press('Enter');
    const result = test.getByRole('region', { name: 'Result' });
    await result.getByText(VERDICT).waitFor();
    await expectSoon(
      async () => (await result.getByRole('listitem').allTextContents()).slice(0, 3),
      [...['Score 0.75', 'Reason It is polite.', 'Model gpt-4o']],
    );
    await tabTo(result.getByText('Prompt: user'));
    await page.keyboard.press('Enter');
    await result.getByText(/In Paris, sir\./).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    expect(await scores()).toEqual([]);
  });

  inBrowser('judge what ends, and show what they did', async () => {
    await tabTo(page.getByRole('switch', { name: 'Enabled' }));
    await page.keyboard.press('Space');
    await expectSoon(async () => (await rules()).map(({ enabled }) => enabled), [true]);
    await record('now');
    await expectSoon(numbers, ['1', '1', '1', '0', '0', '0']);
    await page.getByText('Cost today $').waitFor();
    await expectAccessible(watched);
    await open('/traces/now');
    await expectSoon(() => chips().allTextContents(), ['polite 0.75']);
    expect(await button('Why was this not scored?').count()).toBe(0);
    await open('/scoring-rules');
    const row = grid('Scoring rules').getByRole('row', { name: /polite/ });
    await expectSoon(
      async () => (await row.getByRole('gridcell').allTextContents()).slice(0, 9),
      [...['polite', 'Spans, as they end', 'All spans', '100%', '1', '1', '1', '0', '0']],
    );
    await expectAccessible(watched);
  });

  inBrowser('say why something has no score', async () => {
    const [{ id, judge: asked }] = (await rules()) as [ScoringRuleResource];
    const body = { scoring: 'LlmJudge', judge: asked };
    await program.api.post('/api/scoring-rules', { ...body, name: 'sampled', sample_rate: 0 });
    await program.api.post('/api/scoring-rules', { ...body, name: 'dear', filters: { min_cost: 5 } });
    const earlier = await why('earlier', 'polite');
    await earlier.getByText(/It ended before .* A backfill judges what ended before\./).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    answer = () => refused(500, 'out of order');
    await record('later');
    await expectSoon(async () => {
      const { body: explained } = await program.api.get<{ attempts: unknown[] }>(
        `/api/scoring-rules/${id}/explain?span_id=later-call`,
      );
      return explained.attempts.length > 0;
    }, true);
    const failing = await why('later', 'polite');
    await failing.getByText(/It waits to be judged; the next attempt is at/).waitFor();
    await failing.getByRole('list', { name: 'Attempts' }).getByText(/500/).first().waitFor();
    const all = dialog('Why was this not scored?');
    await all.getByText(/a hash below 0%, and its hash, [0-9a-f]{16}, stands at/).waitFor();
    await all.getByText('It does not match the filter of the rule: Cost ≥ $5.00.').waitFor();
    await expectAccessible(watched);
    answer = () => said(VERDICT);
    await all.getByRole('link', { name: 'polite' }).press('Enter');
    await page.getByRole('heading', { name: 'polite', level: 1 }).waitFor();
  });

  inBrowser('judge what ended before, once it is said how much that is', async () => {
    await tabTo(button('Backfill'));
    await page.keyboard.press('Enter');
    const form = dialog('Backfill polite');
    await form.getByLabel('Cost at most (USD)').fill('1');
    await page.keyboard.press('Enter');
    await form.getByText(/3 match; \d would be judged\. It costs \$\d.* at most/).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await reported('The backfill of polite has begun');
    await page.getByText(/Backfill\. Completed: \d of at most 1,000 taken, \$\d.* of \$1\.00 spent/).waitFor();
    await expectSoon(async () => (await scores()).some(({ span_id: span }) => span === 'earlier-call'), true);
  });

  inBrowser('are changed and deleted', async () => {
    await button('Edit').press('Enter');
    const form = dialog('Edit scoring rule');
    await expectSoon(() => form.getByLabel('Your rubric').inputValue(), 'Is the answer polite?');
    await form.getByLabel('Rubric', { exact: true }).selectOption('Tone');
    await form.getByLabel('Judge', { exact: true }).selectOption('Traces');
    await form.getByLabel('Quiet for (ms)').fill('5000');
    await expectAccessible(watched);
    await page.keyboard.press('Enter');
    await page.getByText('Judges Traces, quiet for 5 s').waitFor();
    await expectSoon(async () => (await rules())[0], expect.objectContaining({ scoring_config: { rubric: 'tone' } }));
    // It judges traces now: their pages say why they have no score.
    await open('/traces/now');
    await button('Why was this not scored?').first().press('Enter');
    await dialog('Why was this not scored?')
      .getByText(/It ended before/)
      .waitFor();
    await page.getByRole('link', { name: 'polite' }).press('Enter');
    await button('Delete').press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Delete scoring rule?' });
    await question.getByRole('button', { name: 'Delete' }).press('Enter');
    await reported('Deleted the rule polite');
    await expectSoon(() => grid('Scoring rules').getByRole('row').count(), 3);
    expect((await scores()).length).toBeGreaterThan(1);
    // The service refused a rule once.
    expectNoFaultsBut(watched, /status of 400/);
  });
});
