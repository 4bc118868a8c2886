/** An old trace whose texts are in the read store alone, on its page: as any other, and while the store is away. */
import { afterAll, expect } from '@jest/globals';
import { describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { takeDirectory, type Place } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { configWith } from '../read-store/under-load.ts';
import { DashboardBrowser, expectNoFaultsBut, inBrowser } from './dashboard-browser.ts';
import { expectAccessible } from './page-steps.ts';

const DAY_MS = 86_400_000;

describeWithClickHouse('the page of an old trace', () => {
  const browser = new DashboardBrowser();
  let [place, engine]: [Place?, TestClickHouse?] = [];
  afterAll(async () => {
    await browser.close();
    await place?.close();
    await engine?.crash();
  });

  inBrowser('has its texts, says when they cannot be had, and shows them once they can', async () => {
    [place, engine] = [await takeDirectory(), await startClickHouse()];
    const SPANDREL_CONFIG = configWith({ url: engine.url }, { retention: { hot_days: 1 } });
    const program = await place.start({
      command: 'server',
      env: { SPANDREL_CONFIG, SPANDREL_RETENTION_INTERVAL: '1' },
    });
    const started_at = new Date(Date.now() - 3 * DAY_MS).toISOString();
    const call = {
      ...{ id: 'call', trace_id: 'old', name: 'call', started_at, ended_at: started_at, status: 'completed' },
      kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai' },
      ...{ input: [{ role: 'user', content: 'When is high tide?' }], output: { text: 'At noon.' } },
    };
    const { status } = await program.api.post('/api/ingest', { traces: [{ id: 'old', started_at }], spans: [call] });
    expect(status).toBe(200);
    const cold = 'select span_id from span_payload where cold_digest is not null and output is null';
    await until(async () => (await place!.rows(cold)).length === 1, 60_000);

    const watched = await browser.open(program.apiUrl, { timezoneId: 'UTC' });
    const { page } = watched;
    const details = page.getByRole('region', { name: 'Span details' });
    await page.goto(`${program.apiUrl}/traces/old?span=call`);
    await details.getByText('When is high tide?').waitFor();
    await details.getByText('At noon.').waitFor();
    await engine.crash();
    await page.reload();
    await details.getByText('The texts could not be loaded').waitFor();
    await details.getByText('its input and output are in the read store').waitFor();
    await details.getByText('gpt-5.1').first().waitFor();
    await expectAccessible(watched);
    await engine.start();
    await until(async () => (await program.api.get('/api/spans/call')).status === 200, 20_000);
    await details.getByRole('alert').getByRole('button', { name: 'Try again' }).focus();
    await page.keyboard.press('Enter');
    await details.getByText('At noon.').waitFor();
    expectNoFaultsBut(watched, /503/);
    expect(await program.stop()).toBe(0);
  });
});
