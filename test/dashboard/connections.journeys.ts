/** The page of connections, as people use it: with the mouse, and by keys alone. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { ConnectionResource } from '@spandrel/contract';
import type { Locator, Response } from 'playwright-core';
import { expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { journeysOn, page, program, provider, watched } from './shared-dashboard.ts';

const KEY = 'sk-test-never-to-be-seen-again';
/** Answers and addresses of every request that the page made. */
const exchanged: string[] = [];

const onNothing = journeysOn(async () => undefined);
const open = () => page.goto(`${program.apiUrl}/connections`);

/** The body of an answer goes with the page that asked. */
const ignoreGone = (): void => undefined;
function note(response: Response): void {
  exchanged.push(response.url());
  if (new URL(response.url()).pathname.startsWith('/api/provider'))
    void response.text().then((text) => exchanged.push(text), ignoreGone);
}
const field = (name: string): Locator => page.getByRole('dialog').getByLabel(name, { exact: true });
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const row = (text: string): Locator => page.getByRole('grid', { name: 'Connections' }).getByRole('row', { name: text });
const result = (text: RegExp): Promise<void> => page.getByRole('status').getByText(text).waitFor();
const stored = async (): Promise<readonly ConnectionResource[]> =>
  (await program.api.get<{ connections: ConnectionResource[] }>('/api/provider-connections')).body.connections;

/** The key with which the fake provider was asked last. */
function keyOfLastRequest(): string | undefined {
  const headers = provider.requests.at(-1)?.rawHeaders ?? [];
  return headers[headers.findIndex((name) => name.toLowerCase() === 'authorization') + 1];
}

describe('connections', () => {
  onNothing();
  beforeAll(() => void page?.on('response', note));
  afterAll(() => void page?.off('response', note));

  inBrowser('are none at first, and what is wrong with a new one is said at its field', async () => {
    await open();
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
    await expectAccessible(watched);
    await button('New connection').click();
    await field('Provider').selectOption('custom');
    await expectAccessible(watched);
    await field('Name').fill('Ours');
    await field('Base URL').fill(`http://user:word@127.0.0.1:${provider.port}`);
    await button('Save').click();
    await page.getByRole('alert').getByText('must be an http or https URL without credentials').waitFor();
    expect(await stored()).toEqual([]);
  });

  inBrowser('are saved and tested by keys alone, and the key is nowhere to be found', async () => {
    await open();
    await tabTo(button('New connection'));
    await page.keyboard.press('Enter');
    for (const [name, value] of [
      ['Name', 'Ours'],
      ['Provider', 'custom'],
      ['API key', KEY],
      ['Base URL', `${provider.url}/v1`],
      ['Default model', 'gpt-5.1'],
    ] as const) {
      await tabTo(field(name));
      await page.keyboard.type(value);
    }
    await tabTo(button('Save and test'));
    await page.keyboard.press('Enter');
    await result(/^Reached in .+ m?s · \d+ models$/);
    expect(keyOfLastRequest()).toBe(`Bearer ${KEY}`);
    await page.getByRole('list', { name: 'Models' }).getByRole('listitem').first().waitFor();
    await expectSoon(
      async () => (await row('Ours').getByRole('gridcell').allTextContents()).slice(0, 5),
      [...['Ours', 'custom', `${provider.url}/v1`, 'gpt-5.1', 'Stored']],
    );
    await expectAccessible(watched);
    expect(await page.content()).not.toContain(KEY);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href])')).not.toContain(KEY);
    await expectSoon(() => exchanged.some((text) => text.includes('gpt-5.1')), true);
    expect(exchanged.filter((text) => text.includes(KEY))).toEqual([]);
    // The provider's refusal is no fault of the page.
    expectNoFaultsBut(watched, /status of 400/);
  });

  inBrowser('keep their key when they are changed by keys alone, without one', async () => {
    await page.goto(`${program.apiUrl}/traces`);
    await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor();
    await pressInTurn(page, 'g', 'c');
    await tabTo(button('Edit Ours'));
    await page.keyboard.press('Enter');
    await field('Name').press('Control+a');
    await page.keyboard.type('Renamed');
    expect(await field('API key').inputValue()).toBe('');
    await page.keyboard.press('Enter');
    await row('Renamed').waitFor();
    await tabTo(button('Test Renamed'));
    await page.keyboard.press('Enter');
    await result(/^Reached in/);
    expect(keyOfLastRequest()).toBe(`Bearer ${KEY}`);
    expect((await stored()).map(({ name }) => name)).toEqual(['Renamed']);
  });

  inBrowser('say why they do not reach their provider, and are deleted after a question', async () => {
    await open();
    await button('Edit Renamed').click();
    await field('Base URL').fill('http://127.0.0.1:1/v1');
    await page.getByText('The stored key is not sent to another server').waitFor();
    await field('API key').fill('another');
    await button('Save and test').click();
    await result(/^Failed: http:\/\/127\.0\.0\.1:1 refused the connection/);
    await button('Delete Renamed').click();
    const question = page.getByRole('alertdialog', { name: 'Delete connection?' });
    await question.waitFor();
    await expectAccessible(watched);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
    expect(await stored()).toEqual([]);
    expectNoFaultsBut(watched, /status of 400/);
  });
});
