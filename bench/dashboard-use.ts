import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import type { Api } from '../test/support/api.ts';
import { recordLargeTrace } from './dashboard-data.ts';
import { newPage, openBareList, ROWS, scrollOn, shownAt } from './dashboard-page.ts';
import { median } from './load.ts';

/** What a page takes while it is used for a while. */
export interface UseFigures {
  /** Milliseconds from sending a trace to its row, beside 100 spans a second, and the same in ten tabs. */
  visible: { p50: number; p95: number; tenTabsP95: number };
  /** Beside 2,000 spans a second: the part of the time that a page's main thread worked, and spans that were sent and are not there. */
  busy: { events: number; traces: number; lost: number };
  /** Requests of the API a second, of a page in view that nothing happens to, and of one that is hidden. */
  requests: { idle: number; live: number };
  /** Milliseconds from the key that approves to the next item. */
  review: { p50: number; p95: number };
  /** The list of all spans: milliseconds from frame to frame while pages load and of a bare list, elements of the page, megabytes of heap. */
  longList: { spans: number; frameP95: number; bareP95: number; elements: number; heapMb: number; seconds: number };
}

export async function measureUse(
  browser: Browser,
  api: Api,
  { spans, seconds }: { spans: number; seconds: number },
): Promise<UseFigures> {
  return {
    requests: await countRequests(browser, api),
    visible: await measureVisible(browser, api),
    busy: await measureBusy(browser, api),
    review: await measureReview(browser, api),
    longList: await readLongList(browser, api, spans, seconds),
  };
}

const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!;

/** Resolves once a condition holds; it is asked whenever the page changes. */
const holds = (page: Page, condition: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => { if (${condition}) { observer.disconnect(); resolve(); } };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    look();
  })`);
const LIVE = `document.querySelector('[role=status][data-state=live]')`;

/** Sends finished spans at a rate, ten times a second, until it is stopped. @returns how many were sent. */
function sendAtRate(api: Api, perSecond: number): () => Promise<number> {
  const stop = new AbortController();
  let sent = 0;
  const sending = (async () => {
    for (let next = performance.now(); !stop.signal.aborted; next += 100) {
      const now = new Date().toISOString();
      const spans = Array.from({ length: perSecond / 10 }, (_, n) => ({
        ...{ id: `rate-${now}-${sent + n}`, trace_id: `rate-${now}`, name: 'beside', started_at: now, ended_at: now },
        kind: { type: 'llm_call', model: 'gpt-4o-mini', input_tokens: 10, output_tokens: 5 },
      }));
      await api.post('/api/ingest', { traces: [{ id: `rate-${now}`, name: 'beside' }], spans });
      sent += spans.length;
      await sleep(Math.max(0, next + 100 - performance.now()));
    }
  })();
  return async () => {
    stop.abort();
    await sending;
    return sent;
  };
}

/** Requests a second of the list of traces, once it is shown: while nothing happens, and beside 100 spans a second. */
async function countRequests(browser: Browser, api: Api): Promise<UseFigures['requests']> {
  const page = await shownTraces(browser, api);
  let asked = 0;
  page.context().on('request', (request) => void (request.url().includes('/api/') && asked++));
  await sleep(2_000);
  const during = async (): Promise<number> => {
    asked = 0;
    await sleep(10_000);
    return asked / 10;
  };
  const idle = await during();
  const stop = sendAtRate(api, 100);
  const live = await during();
  await stop();
  await page.context().close();
  return { idle, live };
}

async function shownTraces(browser: Browser, api: Api, from?: Page): Promise<Page> {
  const page = from ? await from.context().newPage() : await newPage(browser);
  await page.goto(`${api.baseUrl}/traces`, { waitUntil: 'commit' });
  await holds(page, LIVE);
  return page;
}

/** From sending a trace to its row in the list of all traces, beside 100 spans a second. */
async function measureVisible(browser: Browser, api: Api): Promise<UseFigures['visible']> {
  const page = await shownTraces(browser, api);
  const stop = sendAtRate(api, 100);
  const times: number[] = [];
  for (let n = 0; n < 40; n++) times.push(Math.max(...(await seenAfter(api, [page], `seen ${n}`))));
  const others: Page[] = [];
  for (let n = 0; n < 9; n++) others.push(await shownTraces(browser, api, page));
  const inAll: number[] = [];
  for (let n = 0; n < 10; n++) inAll.push(...(await seenAfter(api, [page, ...others], `seen by all ${n}`)));
  await stop();
  await page.context().close();
  return { p50: median(times), p95: p95(times), tenTabsP95: p95(inAll) };
}

/** A row that a page has not shown by then has gone below its end, behind newer ones: it never does. */
const SEEN_MS_MAX = 30_000;

async function seenAfter(api: Api, pages: readonly Page[], name: string): Promise<number[]> {
  const rows = pages.map((page) => holds(page, `document.body.textContent.includes(${JSON.stringify(name)})`));
  const at = performance.now();
  // The timer does not keep the bench from ending.
  const tooLate = sleep(SEEN_MS_MAX, Infinity, { ref: false });
  const seen = rows.map((row) => Promise.race([row.then(() => performance.now() - at), tooLate]));
  await api.post('/api/traces', { name });
  return Promise.all(seen);
}

/** The part of the time that the main thread of a page works while 2,000 spans a second come. */
async function measureBusy(browser: Browser, api: Api): Promise<UseFigures['busy']> {
  const busy = { events: 0, traces: 0 };
  const stored = async (): Promise<number> => (await api.get<{ span_count: number }>('/api/stats')).body.span_count;
  const storedBefore = await stored();
  let sent = 0;
  for (const name of ['events', 'traces'] as const) {
    const page = await newPage(browser);
    await page.goto(`${api.baseUrl}/${name}`, { waitUntil: 'commit' });
    await holds(page, LIVE);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'timeTicks' });
    const stop = sendAtRate(api, 2_000);
    await sleep(2_000);
    const before = await metrics(session);
    await sleep(10_000);
    const after = await metrics(session);
    busy[name] = (after['TaskDuration']! - before['TaskDuration']!) / (after['Timestamp']! - before['Timestamp']!);
    sent += await stop();
    await page.context().close();
  }
  return { ...busy, lost: sent - ((await stored()) - storedBefore) };
}

async function metrics(session: {
  send(method: 'Performance.getMetrics'): Promise<{ metrics: { name: string; value: number }[] }>;
}): Promise<Record<string, number>> {
  const answer = await session.send('Performance.getMetrics');
  return Object.fromEntries(answer.metrics.map(({ name, value }) => [name, value]));
}

const REVIEWED = 40;

async function measureReview(browser: Browser, api: Api): Promise<UseFigures['review']> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'reviewed' });
  const ids: string[] = [];
  for (let n = 0; n <= REVIEWED; n++) {
    const kind = { Generic: { input: `question ${n}.`, expected_output: `answer ${n}` } };
    ids.push((await api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, { kind })).body.id);
  }
  await api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: ids });
  const page = await newPage(browser);
  await page.goto(`${api.baseUrl}/review/${dataset.id}`, { waitUntil: 'commit' });
  const shows = (n: number): string =>
    `document.querySelector('[role=region][aria-label=Item], section')?.textContent.includes('question ${n}.')`;
  await holds(page, shows(0));
  const times: number[] = [];
  for (let n = 1; n <= REVIEWED; n++) {
    await sleep(50);
    const shown = holds(page, shows(n));
    const at = performance.now();
    await page.keyboard.press('a');
    await shown;
    times.push(performance.now() - at);
  }
  await page.context().close();
  return { p50: median(times), p95: p95(times) };
}

/** Frames of one pass: 400 pixels each lead through 15 pages of 200 rows. */
const FRAMES = 210;
const PASSES = 5;

/** Scrolls through the list of spans, 400 pixels a frame into pages that were never read, and a bare list in turn; then stays in it. */
async function readLongList(
  browser: Browser,
  api: Api,
  spans: number,
  seconds: number,
): Promise<UseFigures['longList']> {
  const each = 10_000;
  for (let n = 0; n * each < spans; n++) await recordLargeTrace(api, `bulk-${n}`, each);
  const page = await newPage(browser);
  await page.goto(`${api.baseUrl}/spans`, { waitUntil: 'commit' });
  await page.evaluate(shownAt(ROWS));
  await sleep(500);
  const bare = await openBareList(browser, spans);
  const [ours, others]: [number[], number[]] = [[], []];
  const end = performance.now() + seconds * 1_000;
  for (let pass = 0; pass < PASSES || performance.now() < end; pass++) {
    await bare.bringToFront();
    others.push(p95(await scrollOn(bare, '[role=grid]', FRAMES)));
    await page.bringToFront();
    ours.push(p95(await scrollOn(page, '[role=grid]', FRAMES)));
  }
  await bare.context().close();
  const elements = Number(await page.evaluate(`document.querySelectorAll('*').length`));
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await page.context().close();
  return { spans, frameP95: median(ours), bareP95: median(others), elements, heapMb: usedSize / 1e6, seconds };
}
