/**
 * One instance with its fake provider and one browser for all journeys of a spec file: starting them costs more than most
 * journeys. Each part of the journeys has the instance to itself, emptied; all have one page, whose process and cache of
 * scripts are warm after the first part.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { takeDirectory, type Place, type Program } from '../support/places.ts';
import { DashboardBrowser, hasBrowser, type WatchedPage } from './dashboard-browser.ts';

export const browser = new DashboardBrowser();
export let program: Program;
export let provider: FakeProvider;
/** The page of all parts; where there is no browser, their journeys are skipped. */
export let watched: WatchedPage;
export let page: Page;

let place: Place | undefined;

/** Starts and ends what is shared; to be called once in a spec file. */
export function shareDashboard(): void {
  beforeAll(async () => {
    if (!hasBrowser) return;
    provider = await startFakeProvider();
    place = await takeDirectory();
    program = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    watched = await browser.open(program.apiUrl, { timezoneId: 'UTC' });
    ({ page } = watched);
  });
  afterAll(async () => {
    await browser.close();
    await place?.close();
    await provider?.close();
  });
}

/**
 * A part of the journeys: the result is called inside each of its `describe`s.
 * @param record fills the emptied instance, once before the first journey of the part.
 * @param isOneVisit whether each journey goes on where the one before ended, in place of as in a browser that was never here.
 */
export function journeysOn(record: () => Promise<unknown>, { isOneVisit = false } = {}): () => void {
  let recorded: Promise<unknown> | undefined;
  return () => {
    beforeAll(async () => {
      if (!hasBrowser) return;
      await (recorded ??= watched.leave().then(emptied).then(record));
      if (isOneVisit) await watched.renew();
    });
    beforeEach(async () => {
      if (hasBrowser && !isOneVisit) await watched.renew();
    });
    afterEach(() => void provider?.requests.splice(0));
  };
}

async function emptied(): Promise<void> {
  const { api } = program;
  const { body: recorded } = await api.get<{ traces: unknown[] }>('/api/traces?limit=1');
  if (recorded.traces.length > 0) await api.delete('/api/traces');
  const { body: kept } = await api.get<{ datasets: { id: string }[] }>('/api/datasets');
  for (const { id } of kept.datasets) await api.delete(`/api/datasets/${id}`);
  const { body: scoring } = await api.get<{ scoring_rules: { id: string }[] }>('/api/scoring-rules');
  for (const { id } of scoring.scoring_rules) await api.delete(`/api/scoring-rules/${id}`);
  const { body: stored } = await api.get<{ connections: { id: string }[] }>('/api/provider-connections');
  for (const { id } of stored.connections) await api.delete(`/api/provider-connections/${id}`);
  const { body: watching } = await api.get<{ alerts: { id: string }[] }>('/api/alerts');
  for (const { id } of watching.alerts) await api.delete(`/api/alerts/${id}`);
  const { body: sent } = await api.get<{ channels: { id: string }[] }>('/api/alert-channels');
  for (const { id } of sent.channels) await api.delete(`/api/alert-channels/${id}`);
}
