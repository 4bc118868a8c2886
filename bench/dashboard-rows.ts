import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { Api } from '../test/support/api.ts';
import { freePorts } from '../test/support/ports.ts';
import { recordLargePayload, recordLargeTrace, recordSmallTraces } from './dashboard-data.ts';
import { newPage, ROWS, scroll, shownAt } from './dashboard-page.ts';
import { measureUse, type UseFigures } from './dashboard-use.ts';
import { median } from './load.ts';
import { startPeer, type Peer } from './process.ts';

/** What a page takes, in milliseconds of its own clock from the start of the navigation. */
export interface PageFigures {
  firstPaint: number;
  rows: number;
  shift: number;
}

export interface DashboardFigures {
  fresh: PageFigures;
  known: PageFigures;
  /** 75th percentile from a key or a click in the list of traces to its paint, in milliseconds. */
  interactionP75: number;
  /** Requests of the API to show the list of traces, and a trace. */
  requests: { traces: number; trace: number };
  /** Bytes of `GET /api/traces/:id?view=outline` of 10,000 spans, plain and as they are sent. */
  outlineBytes: number;
  /** Milliseconds until the rows of a trace are shown, by its number of spans. */
  traceRows: Readonly<Record<number, number>>;
  /** Milliseconds until the agent graph of the smallest trace is drawn. */
  graph: number;
  /** 95th percentile from a key to its paint, and from one frame to the next while scrolling; milliseconds. */
  keyP95: number;
  frameP95: number;
  payload: { shown: number; longestTask: number; frameP95: number };
  use: UseFigures;
}

const TRACES = 20_000;
const PAYLOAD_BYTES = 9_500_000;

/**
 * The dashboard in chromium, against a built server on SQLite.
 * @param amounts how many spans the long list has, and for how many seconds it is read.
 * @returns `undefined` where the PATH has no chromium.
 */
export async function measureDashboard(
  rounds: number,
  sizes: readonly number[],
  amounts: { spans: number; seconds: number },
): Promise<DashboardFigures | undefined> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port] = await freePorts(1);
  let peer: Peer | undefined;
  let browser: Browser | undefined;
  try {
    const program = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', folder];
    peer = await startPeer(process.execPath, program, [port!]);
    const api = new Api(`http://127.0.0.1:${port}`);
    await recordSmallTraces(api, TRACES);
    for (const size of sizes) await recordLargeTrace(api, `of-${size}`, size);
    await recordLargePayload(api, 'payload', PAYLOAD_BYTES);
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const pages = await measure(browser, api, rounds, sizes);
    return { ...pages, use: await measureUse(browser, api, amounts) };
  } finally {
    await browser?.close();
    await peer?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  browser: Browser,
  api: Api,
  rounds: number,
  sizes: readonly number[],
): Promise<Omit<DashboardFigures, 'use'>> {
  const url = `${api.baseUrl}/traces`;
  const fresh: PageFigures[] = [];
  const known: PageFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await newPage(browser);
    fresh.push(await open(page, url));
    known.push(await open(page, url));
    await page.context().close();
  }
  const traceRows: Record<number, number> = {};
  for (const size of sizes) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const page = await newPage(browser);
      await open(page, url);
      times.push((await open(page, `${url}/of-${size}`)).rows);
      await page.context().close();
    }
    traceRows[size] = median(times);
  }
  const graphs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const page = await newPage(browser);
    await open(page, url);
    await page.goto(`${url}/of-${sizes[0]}?view=graph`, { waitUntil: 'commit' });
    graphs.push(Number(await page.evaluate(shownAt('[aria-label="Agent graph"] button'))));
    await page.context().close();
  }
  const outline = await fetch(`${api.baseUrl}/api/traces/of-${sizes[0]}?view=outline`);
  return {
    fresh: medians(fresh),
    known: medians(known),
    interactionP75: await interact(browser, url),
    requests: { traces: await requestsOf(browser, url), trace: await requestsOf(browser, `${url}/of-${sizes[0]}`) },
    outlineBytes: (await outline.arrayBuffer()).byteLength,
    traceRows,
    graph: median(graphs),
    ...(await handle(browser, `${url}/of-${sizes[0]}`)),
    payload: await readPayload(browser, url),
  };
}

async function open(page: Page, url: string): Promise<PageFigures> {
  await page.goto(url, { waitUntil: 'commit' });
  const rows = Number(await page.evaluate(shownAt(ROWS)));
  const firstPaint = Number(
    await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`),
  );
  // What comes after the first rows: the bars, the rest of the code.
  await page.waitForTimeout(500);
  return { firstPaint, rows, shift: Number(await page.evaluate('shift')) };
}

function medians(figures: readonly PageFigures[]): PageFigures {
  const of = (name: keyof PageFigures): number => median(figures.map((figure) => figure[name]));
  return { firstPaint: of('firstPaint'), rows: of('rows'), shift: of('shift') };
}

async function requestsOf(browser: Browser, url: string): Promise<number> {
  const page = await newPage(browser);
  const asked: string[] = [];
  page.context().on('request', (request) => request.url().includes('/api/') && asked.push(request.url()));
  await open(page, url);
  await page.context().close();
  return asked.length;
}

/** Real keys and clicks, as the browser itself times them (Event Timing); what took less than 16 ms counts as 16. */
async function interact(browser: Browser, url: string): Promise<number> {
  const page = await newPage(browser);
  await open(page, url);
  const boxes = page.locator('[role=row] input[type=checkbox]');
  for (let n = 1; n <= 10; n++) await boxes.nth(n).click();
  for (let n = 0; n < 20; n++) await page.keyboard.press('j');
  await page.keyboard.press('/');
  for (const letter of 'checkout') await page.keyboard.press(letter);
  await page.waitForTimeout(500);
  const times = (await page.evaluate('[...interactions.values()]')) as number[];
  await page.context().close();
  const all = [...times, ...Array.from({ length: Math.max(0, 39 - times.length) }, () => 16)];
  return all.sort((a, b) => a - b)[Math.ceil(all.length * 0.75) - 1]!;
}

/** Keys and the wheel in the rows of a trace. */
async function handle(browser: Browser, url: string): Promise<{ keyP95: number; frameP95: number }> {
  const page = await newPage(browser);
  await open(page, url);
  await page.locator('[role=treegrid] [data-index]').first().focus();
  const keyP95 = Number(
    await page.evaluate(`(async () => {
      const times = [];
      for (let n = 0; n < 200; n++) {
        const at = performance.now();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        times.push(performance.now() - at);
      }
      return times.sort((a, b) => a - b)[189];
    })()`),
  );
  const frameP95 = await scroll(page, '[role=treegrid]');
  await page.context().close();
  return { keyP95, frameP95 };
}

/** A large output, opened by who has been in the dashboard before, as the traces are. */
async function readPayload(browser: Browser, url: string): Promise<DashboardFigures['payload']> {
  const page = await newPage(browser);
  await open(page, url);
  await page.goto(`${url}/payload?tab=output`, { waitUntil: 'commit' });
  const text =
    '[role=region][aria-label="Span details"] [role=group][aria-label=Output], section [role=group][aria-label=Output]';
  const shown = Number(await page.evaluate(shownAt(text)));
  const frameP95 = await scroll(page, text);
  const longestTask = Number(await page.evaluate('longest'));
  await page.context().close();
  return { shown, longestTask, frameP95 };
}

function chromiumPath(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((path) => join(path, 'chromium'))
    .find((file) => existsSync(file));
}
