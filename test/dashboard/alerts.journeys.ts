/** Alerts, as people use them: made from Analytics, firing, sent to a channel and seen; with the mouse, and by keys alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { AlertChannelResource, AlertResource } from '@spandrel/contract';
import { takeDirectory } from '../support/places.ts';
import { Receiver } from '../support/webhook-receiver.ts';
import { expectNoFaults, hasBrowser, inBrowser } from './dashboard-browser.ts';
import { expectAccessible, expectSoon, pressInTurn, tabTo } from './page-steps.ts';
import { recordTraces } from './recorded-traces.ts';
import { browser, journeysOn, page, program, watched } from './shared-dashboard.ts';

const open = (path: string) => page.goto(`${program.apiUrl}${path}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const figure = (name: string) => page.getByRole('figure', { name, exact: true });
const part = (name: string) => page.getByRole('region', { name, exact: true });
const field = (name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
const said = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor();
const row = (grid: string, name: string) => page.getByRole('grid', { name: grid }).getByRole('row', { name });
const alerts = async (): Promise<AlertResource[]> =>
  (await program.api.get<{ alerts: AlertResource[] }>('/api/alerts')).body.alerts;
const channels = async (): Promise<AlertChannelResource[]> =>
  (await program.api.get<{ channels: AlertChannelResource[] }>('/api/alert-channels')).body.channels;

describe('alerts', () => {
  const receiver = new Receiver();
  let url: string;
  beforeAll(async () => {
    if (hasBrowser) url = await receiver.start();
  });
  afterAll(() => void (hasBrowser && receiver.close()));
  const onTraces = journeysOn(async () => {
    await recordTraces(program.api, 30);
  });
  onTraces();

  inBrowser('are none at first; a channel is made, tested and refused at its field', async () => {
    await open('/alerts');
    await page.getByRole('heading', { name: 'No alerts yet' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('tab', { name: 'Channels' }).click();
    await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
    await button('New channel').click();
    await expectAccessible(watched);
    await field('Name').fill('Mail');
    await field('Kind').selectOption('email');
    await field('Addresses').fill('ops@example.com');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This server sends no email: its operator sets the mail server (alerts.smtp).').waitFor();
    await expectSoon(() => button('Save').isDisabled(), true);
    await expectAccessible(watched);
    await field('Name').fill('On call');
    await field('Kind').selectOption('webhook');
    await field('URL').fill(`${url}/hook`);
    await field('Signing secret').fill('hush');
    await button('Save').click();
    await row('Channels', 'On call').getByText(url).waitFor();
    expect(await channels()).toMatchObject([{ name: 'On call', kind: 'webhook', host: url, signed: true }]);
    await button('Test On call').click();
    await said(/On call took a message in/);
    expect(receiver.received.at(-1)!.headers['webhook-signature']).toMatch(/^v1,/);
    await button('Deliveries of On call').click();
    await page.getByRole('dialog').getByText('Nothing was sent in the last 30 days.').waitFor();
    await page.keyboard.press('Escape');
    await button('Edit On call').click();
    await field('Name').fill('Night watch');
    await page.keyboard.press('Enter');
    await row('Channels', 'Night watch').waitFor();
    expect(await channels()).toMatchObject([{ name: 'Night watch', host: url, signed: true }]);
    expectNoFaults(watched);
  });

  inBrowser('are made of a figure of Analytics, fire, and show why, what changed and what was sent', async () => {
    await open('/analytics?split_by=user&group_by=hour');
    await figure('Calls').getByRole('button', { name: 'Create alert' }).click();
    await expectSoon(() => field('Name').inputValue(), 'LLM calls by user in 1 hour');
    await expectSoon(() => field('Split by').inputValue(), 'user');
    await field('Threshold').fill('many');
    await field('Night watch').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create alert' }).click();
    await page.getByRole('alert').getByText('must be a number').waitFor();
    await expectAccessible(watched);
    await field('Threshold').fill('5');
    await page.getByRole('dialog').getByRole('button', { name: 'Create alert' }).click();
    await said('Created the alert LLM calls by user in 1 hour');
    await page.keyboard.press('Control+k');
    const menu = page.getByRole('dialog', { name: 'Command menu' });
    await menu.getByRole('combobox', { name: 'Command' }).fill('calls by user');
    await menu.getByRole('option', { name: 'LLM calls by user in 1 hour' }).click();
    await heading('LLM calls by user in 1 hour').waitFor();
    await open('/alerts');
    await expectSoon(async () => (await alerts()).map(({ state }) => state), ['firing']);
    await page.reload();
    const listed = row('Alerts', 'LLM calls by user in 1 hour above 5');
    await listed.getByText('Firing').waitFor();
    await expectAccessible(watched);
    await listed.getByRole('link').click();
    await heading('LLM calls by user in 1 hour').waitFor();
    await part('Last evaluation')
      .getByText(/1 measured by user, 1 above 5\./)
      .waitFor();
    await part('History')
      .getByRole('row', { name: /ann OK Firing 30/ })
      .waitFor();
    await part('Deliveries')
      .getByRole('row', { name: /Night watch Firing: ann Delivered 1/ })
      .waitFor();
    await figure('LLM calls').getByRole('button', { name: 'Show LLM calls as table' }).click();
    await figure('LLM calls').getByRole('columnheader', { name: 'Threshold' }).waitFor();
    const cells = figure('LLM calls').getByRole('row').last().getByRole('cell');
    await expectSoon(() => cells.allTextContents(), ['30', '5']);
    await expectAccessible(watched);
    expect(receiver.of((await alerts())[0]!.id)).toMatchObject([{ type: 'alert.firing', key: 'ann', value: 30 }]);
    expectNoFaults(watched);
  });

  inBrowser('are made, tested, changed, turned off and deleted by keys alone', async () => {
    await open('/traces');
    await heading('Traces').waitFor();
    await pressInTurn(page, 'g', 'l');
    await heading('Alerts').waitFor();
    await tabTo(button('New alert'));
    await page.keyboard.press('Enter');
    await field('Name').waitFor();
    await page.keyboard.type('Calls fail');
    await tabTo(field('Measure'));
    await page.keyboard.type('Err');
    await tabTo(field('Threshold (%)'));
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await row('Alerts', 'Error rate in 1 hour above 5%').waitFor();
    expect((await alerts()).find(({ name }) => name === 'Calls fail')).toMatchObject({
      ...{ measure: 'error_rate', condition: { op: '>', value: 0.05 }, window: '1h', channel_ids: [] },
    });
    await tabTo(button('Test Calls fail'));
    await page.keyboard.press('Enter');
    await said(/^Calls fail: Error rate in 1 hour: 10%, above 5%\./);
    await tabTo(page.getByRole('switch', { name: 'Enabled: Calls fail' }));
    await page.keyboard.press('Space');
    await row('Alerts', 'Calls fail').getByText('Off').waitFor();
    await tabTo(page.getByRole('link', { name: 'Calls fail', exact: true }));
    await page.keyboard.press('Enter');
    await heading('Calls fail').waitFor();
    const legend = page.getByRole('list', { name: 'Legend of Error rate' }).getByRole('listitem');
    await expectSoon(() => legend.allTextContents(), ['Error rate', 'Threshold']);
    await tabTo(button('Edit'));
    await page.keyboard.press('Enter');
    await field('Name').waitFor();
    await tabTo(field('Must hold for'));
    await page.keyboard.type('10');
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Alert facts' }).getByText('10 minutes').waitFor();
    await tabTo(button('Test'));
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'Test result' }).getByText('Test: Error rate in 1 hour: 10%').waitFor();
    await tabTo(page.getByRole('switch', { name: 'Enabled', exact: true }));
    await page.keyboard.press('Space');
    await expectSoon(async () => (await alerts()).find(({ name }) => name === 'Calls fail')?.enabled, true);
    await page.keyboard.press('Escape');
    await heading('Alerts').waitFor();
    await tabTo(page.getByRole('link', { name: 'Calls fail', exact: true }));
    await page.keyboard.press('Enter');
    await heading('Calls fail').waitFor();
    await tabTo(button('Delete'));
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await expectAccessible(watched);
    await tabTo(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await said('Deleted the alert Calls fail');
    await heading('Alerts').waitFor();
    await expectSoon(async () => (await alerts()).map(({ name }) => name), ['LLM calls by user in 1 hour']);
    expectNoFaults(watched);
  });

  inBrowser('are absent from a server without them, as are scores and comments', async () => {
    const place = await takeDirectory();
    const config = join(place.dataDir, 'features.yaml');
    writeFileSync(config, 'features: [events, tracing, analytics, dashboard]\n');
    const without = await place.start({ env: { SPANDREL_CONFIG: config } });
    await recordTraces(without.api, 2);
    const other = await browser.open(without.apiUrl);
    await other.page.goto(`${without.apiUrl}/alerts`);
    await other.page.getByRole('heading', { name: /This server has no alerts/ }).waitFor();
    expect(await other.page.getByRole('main').getByRole('button').count()).toBe(0);
    await other.page.goto(`${without.apiUrl}/analytics`);
    await other.page.getByRole('figure', { name: 'Cost', exact: true }).waitFor();
    expect(await other.page.getByRole('button', { name: 'Create alert' }).count()).toBe(0);
    await other.page.goto(`${without.apiUrl}/traces/trace-0`);
    await other.page.getByRole('region', { name: 'Span details' }).waitFor();
    for (const name of [/^Comments/, 'Add score'])
      await expectSoon(() => other.page.getByRole('button', { name }).count(), 0);
    expect(await other.page.getByRole('alert').count()).toBe(0);
    await other.close();
    await place.close();
  });
});
