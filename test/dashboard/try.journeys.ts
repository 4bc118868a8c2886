/** A call of a model that is tried again, as people do it: with the mouse, and by keys alone. */
import { describe, expect } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import type { Locator } from 'playwright-core';
import { expectNoFaults, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, tabTo } from './page-steps.ts';
import { PIXEL } from './recorded-spans.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const TOOL = { type: 'function', function: { name: 'get_tide', parameters: { type: 'object' } } };
const CALL = '/traces/asked?span=asked-call';

/** A call with an image and a tool, and two connections. */
async function prepare(): Promise<void> {
  const { api } = program;
  const started = new Date().toISOString();
  await api.post('/api/ingest', {
    traces: [{ id: 'asked', name: 'question', started_at: started }],
    spans: [
      {
        ...{ id: 'asked-call', trace_id: 'asked', name: 'call', started_at: started, ended_at: started },
        kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 9, output_tokens: 4, cost: 0.5 },
        input: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'When is high tide at Brest today?' },
              { type: 'image_url', image_url: { url: PIXEL } },
            ],
          },
        ],
        output: { text: 'You said: When is low tide at Brest today?', finish_reason: 'stop' },
        metadata: { request: { temperature: 0.5, seed: 7, tools: [TOOL] } },
      },
    ],
  });
  for (const name of ['openai', 'anthropic'])
    await api.post('/api/provider-connections', {
      ...{ name: `our ${name}`, provider: name, api_key: 'sk-test-fake', default_model: 'gpt-5.1' },
      base_url: name === 'openai' ? `${provider.url}/v1` : provider.url,
    });
}

const onCall = journeysOn(prepare);
const goTo = (path: string) => page.goto(`${program.apiUrl}${path}`);
const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const region = (name: string): Locator => page.getByRole('region', { name, exact: true });
const answer = (variant: number, at = 1): Locator =>
  page.getByRole('article', { name: `Variant ${variant}, answer ${at}`, exact: true });
const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const tried = async (): Promise<SpanResource[]> => {
  const { traces } = (await program.api.get<{ traces: { id: string }[] }>('/api/traces?tag=try')).body;
  return (await Promise.all(traces.map(({ id }) => program.api.spans(`trace_id=${id}`)))).flat();
};
const sent = (at: number) => JSON.parse(provider.requests.at(at)!.body.toString()) as Record<string, unknown>;

describe('a recorded call', () => {
  onCall();

  inBrowser('is tried again with two models, edited, beside the recorded answer', async () => {
    await goTo(CALL);
    await button('Try again').click();
    await heading('Try again');
    await expectAccessible(watched);
    const text = page.getByLabel('Message 2, part 1');
    expect(await text.inputValue()).toBe('When is high tide at Brest today?');
    await region('Conversation').getByRole('img', { name: 'Recorded image' }).waitFor();
    expect(await page.getByLabel('Tools (JSON)').inputValue()).toContain('get_tide');
    await text.fill('When is high tide at Brest tomorrow?');
    await button('Add variant').click();
    const second = region('Variant 2');
    await second.getByLabel('Connection').selectOption({ label: 'our anthropic' });
    await second.getByLabel('Times').fill('2');
    provider.requests.splice(0);
    await button(/^Run/).click();
    for (const one of [answer(1), answer(2), answer(2, 2)]) await one.getByText('Tokens out').waitFor();
    await expectSoon(() => answer(1).locator('ins').allTextContents(), [' added: high end ', ' added: tomorrow end ']);
    expect(await answer(1).locator('del').allTextContents()).toEqual([' removed: low end ', ' removed: today end ']);
    await page.getByLabel('Show differences from it').uncheck();
    await answer(1).getByText('You said: When is high tide at Brest tomorrow?').waitFor();
    const asked = provider.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body.toString()) as object);
    const user = {
      role: 'user',
      content: [
        { type: 'text', text: 'When is high tide at Brest tomorrow?' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    };
    expect(asked).toHaveLength(3);
    expect(asked).toContainEqual(
      expect.objectContaining({
        seed: 7,
        temperature: 0.5,
        tools: [TOOL],
        messages: [{ role: 'system', content: 'Be brief.' }, user],
      }),
    );
    await expectSoon(
      async () => (await tried()).map(({ metadata }) => metadata['tried_span_id']),
      Array.from({ length: 3 }, () => 'asked-call'),
    );
    await expectAccessible(watched);
    const address = page.url();
    expect(address).toMatch(/\/try\/[0-9a-f]{32}\?span=asked-call$/);
    await page.reload();
    // Variants come back in the order in which they were asked, which was at once.
    await answer(1, 2).or(answer(2, 2)).getByText('Tokens out').waitFor();
    await expectSoon(() => page.getByLabel('Message 2, part 1').inputValue(), 'When is high tide at Brest tomorrow?');
    expectNoFaults(watched);
  });

  inBrowser('is tried again by keys alone, and its answer becomes a datapoint and an evaluation', async () => {
    await goTo(CALL);
    await region('Span details').waitFor();
    await button('Try again').waitFor();
    await page.keyboard.press('t');
    await heading('Try again');
    await tabTo(page.getByLabel('Message 1', { exact: true }));
    await page.keyboard.press('End');
    await page.keyboard.type(' Very.');
    await page.keyboard.press('Control+Enter');
    await answer(1).getByText('Tokens out').waitFor();
    expect(sent(-1)['messages']).toMatchObject([{ role: 'system', content: 'Be brief. Very.' }, { role: 'user' }]);
    await tabTo(answer(1).getByRole('button', { name: 'Add to dataset' }));
    await page.keyboard.press('Enter');
    await page.getByLabel('Expected').waitFor();
    await tabTo(page.getByRole('dialog').getByLabel('Name'));
    await page.keyboard.type('tried');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Notifications' }).getByText('Added a datapoint').waitFor();
    await tabTo(answer(1).getByRole('link', { name: 'Evaluate' }));
    await page.keyboard.press('Enter');
    await heading('New evaluation');
    for (const [name, value] of [
      ['System prompt', 'Be brief. Very.'],
      ['Model', 'gpt-5.1'],
      ['Temperature', '0.5'],
    ] as const)
      await expectSoon(() => page.getByLabel(name, { exact: true }).inputValue(), value);
    expectNoFaults(watched);
  });
});

describe('a prompt', () => {
  onCall();

  inBrowser('is tried from the page of connections, and says why it fails', async () => {
    await goTo('/connections');
    await page.getByRole('link', { name: 'Try a prompt' }).click();
    await heading('Try a prompt');
    await page.getByLabel('Message 1', { exact: true }).fill('fake:tools call');
    await button(/^Run/).click();
    await answer(1).getByRole('group', { name: 'Tool call get_tide' }).waitFor();
    await page
      .getByLabel('Message 1', { exact: true })
      .fill(`fake:slow-stream:100 one two three ${'more '.repeat(100)}`);
    await button(/^Run/).click();
    await answer(1, 2).getByText('three').waitFor();
    await button('Stop').click();
    await answer(1, 2).getByText('Stopped').waitFor();
    await page.getByLabel('Other parameters (JSON)').fill('{no');
    await button(/^Run/).click();
    await page.getByRole('alert').getByText('The parameters are not JSON.').waitFor();
    await expectAccessible(watched);
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 800 });
    await expectSoon(() => page.evaluate('document.documentElement.scrollWidth'), 390);
    await expectAccessible(watched);
    await page.setViewportSize(usual);
    expectNoFaults(watched);
  });
});
