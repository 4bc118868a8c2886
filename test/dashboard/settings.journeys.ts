/** The page of settings in local mode: what is preferred is kept, and what is done with all that the instance has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { tempDir, until } from '../support/spandrel.ts';
import { expectNoFaults, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { journeysOn, page, program, watched } from './shared-dashboard.ts';

const TRACES = 3;
const onTraces = journeysOn(() => recordTraces(program.api, TRACES, 'settled'));
const radio = (group: string, name: string): Locator =>
  page.getByRole('radiogroup', { name: group }).getByRole('radio', { name });
const singleKeys = (): Locator => page.getByRole('switch', { name: 'Single-key shortcuts' });
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

/** What the page's element `html` says before any module has run. */
const AT_FIRST = `document.addEventListener('readystatechange', () => {
  if (document.readyState === 'interactive') globalThis.atFirst = JSON.stringify(document.documentElement.dataset);
})`;

/** What a server with another secret key says of a connection. */
const CONNECTIONS = /\/api\/provider-connections/;
const UNREADABLE = {
  connections: [{ id: 'c', name: 'sealed', key_status: 'unreadable' }],
  count: 1,
  next_cursor: null,
};

describe('settings', () => {
  onTraces();

  inBrowser('are at an address without a project, to which those with one lead', async () => {
    await page.goto(`${program.apiUrl}/p/somewhere/settings?x=1`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await expectSoon(() => page.url(), `${program.apiUrl}/settings?x=1`);
    await page.goto(`${program.apiUrl}/p/somewhere//elsewhere.example/settings`);
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    expect(new URL(page.url()).origin).toBe(program.apiUrl);
    expectNoFaultsBut(watched, /status of 404/);
  });

  inBrowser('are chosen by keys alone, and kept without a flash', async () => {
    await page.addInitScript(AT_FIRST);
    await page.goto(`${program.apiUrl}/traces`);
    await page.getByRole('grid', { name: 'Traces' }).waitFor();
    await pressInTurn(page, 'g', ',');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await expectSoon(() => page.title(), 'Settings · Spandrel');
    for (const name of ['Appearance', 'Keyboard', 'Instance']) await page.getByRole('heading', { name }).waitFor();
    await expectAccessible(watched);
    await tabTo(radio('Theme', 'System'));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.reload();
    expect(JSON.parse(await page.evaluate('globalThis.atFirst'))).toEqual({ theme: 'dark', density: 'comfortable' });
    for (const [group, name] of [
      ['Theme', 'Dark'],
      ['Density', 'Comfortable'],
      ['Times', 'UTC'],
    ] as const) {
      expect([group, await radio(group, name).isChecked()]).toEqual([group, true]);
    }
    expect(await singleKeys().isChecked()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await pressInTurn(page, 'g', 't');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command menu' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings');
    expectNoFaults(watched);
  });

  inBrowser('mask by rules that a text can be tried on before they are saved', async () => {
    await page.goto(`${program.apiUrl}/settings`);
    const section = page.getByRole('region', { name: 'Masking' });
    await section.getByText('No rules: texts are stored unchanged.').waitFor();
    await section.getByRole('button', { name: 'Add a rule' }).click();
    await section.getByLabel('Replaced').selectOption('label');
    await section.getByRole('button', { name: 'Add a rule' }).click();
    const own = section.getByRole('group', { name: 'Rule 2' });
    await own.getByLabel('Values').selectOption('pattern');
    await own.getByLabel('Label').fill('staff');
    await own.getByLabel('Pattern').fill('EMP-\\d{6}');
    await own.getByLabel('Errors').uncheck();
    await section.getByLabel('Try a text out').fill('jane@example.com is EMP-123456');
    await section.getByRole('button', { name: 'Try out' }).click();
    await section.getByText('[email] is [staff]').waitFor();
    await section.getByText('Found: email 1, staff 1.').waitFor();
    await expectAccessible(watched);
    const rules = async (): Promise<unknown[]> =>
      (await program.api.get<{ rules: unknown[] }>('/api/projects/local/masking')).body.rules;
    expect(await rules()).toEqual([]);
    await section.getByRole('button', { name: 'Save rules' }).click();
    await page.getByRole('status').getByText('Saved. The rules apply to new recordings').waitFor();
    expect(await rules()).toMatchObject([
      { masker: 'email', replace: 'label' },
      { masker: 'pattern', label: 'staff', fields: ['input', 'output', 'metadata', 'name', 'identity'] },
    ]);
    await page.reload();
    await section.getByRole('button', { name: 'Remove rule 2' }).click();
    await section.getByRole('button', { name: 'Remove rule 1' }).click();
    await section.getByRole('button', { name: 'Save rules' }).click();
    await section.getByText('No rules: texts are stored unchanged.').waitFor();
    await until(async () => (await rules()).length === 0);
    expectNoFaults(watched);
  });

  inBrowser('say what the instance is, take an export back, and delete all traces from who types it', async () => {
    await page.route(CONNECTIONS, (route) => route.fulfill({ json: UNREADABLE }));
    await page.goto(`${program.apiUrl}/settings`);
    await page.getByRole('alert').getByText('The key of 1 connection cannot be read').waitFor();
    await page.unroute(CONNECTIONS);
    await page.getByText('Local: one machine, no logins').waitFor();
    for (const [name, address] of [
      ['Download everything', '/api/export/json'],
      ['Metrics', '/metrics'],
      ['API', '/docs'],
    ] as const) {
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('href')).toBe(address);
    }
    for (const name of ['Organization', 'Projects', 'API keys', 'Audit log']) {
      expect(await page.getByRole('heading', { name }).count()).toBe(0);
    }
    const exported = join(tempDir(), 'export.json');
    const { body } = await program.api.get<object>('/api/export/json');
    writeFileSync(exported, JSON.stringify(body));

    await button('Delete all traces').click();
    const question = page.getByRole('alertdialog', { name: 'Delete all traces?' });
    await question.getByText(`${TRACES} traces of this project`).waitFor();
    await expectAccessible(watched);
    const confirm = question.getByRole('button', { name: 'Delete', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.type('delete');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(`Deleted ${TRACES} traces with ${TRACES} spans`).waitFor();
    expect(await program.api.traces()).toEqual([]);

    await button('Import a backup file').click();
    const dialog = page.getByRole('dialog', { name: 'Import a backup file' });
    await dialog.getByLabel('File').setInputFiles(exported);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('status').getByText(`${TRACES} traces, ${TRACES} spans`).waitFor();
    await expectAccessible(watched);
    expect(await program.api.traces()).toHaveLength(TRACES);
    expectNoFaults(watched);
  });
});
