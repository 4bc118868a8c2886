import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Api } from '../test/support/api.ts';
import { builtSdk } from '../test/support/built-sdk.ts';
import { startFaultyApi, type Fault } from '../test/support/faulty-api.ts';
import { freePorts } from '../test/support/ports.ts';
import { sendRequest } from '../test/support/send-request.ts';
import { median } from './load.ts';
import { startPeer } from './process.ts';
import { goal, heading, row } from './report.ts';
import type { CostFigures, FloodFigures, SdkMeasure, StallFigures } from './sdk-figures.ts';

/** What is recorded at once fits in the queue. */
const CALLS = 10_000;
const STALL_SPANS = 10_000;
const SERVER_NICE = 10;
const FLOOD_PER_SECOND = 2_000;
/** The first is none: an application's memory grows by itself at first, by some 60 MiB, with and without an outage. */
const NO_OUTAGE = 'no outage';
const OUTAGES: Record<string, Fault | 'down'> = {
  [NO_OUTAGE]: 'none',
  'API down': 'down',
  'API hangs': 'hang',
  'API answers garbage': 'garbage',
  'API closes': 'close',
};
const WARM_MS = 5_000;
const PAGE = 1_000;

interface OutageFigures extends FloodFigures {
  /** Spans that the server holds afterwards, and how many of them are the same twice. */
  stored: number;
  doubled: number;
}

interface SdkFigures {
  cost: CostFigures;
  stall: StallFigures;
  outages: Record<string, OutageFigures>;
  outageSeconds: number;
}

/** What the SDK costs the application that it is in, and what an outage does to it; against a real server. @param outageSeconds of each. */
export async function measureSdk(outageSeconds: number): Promise<SdkFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [port] = await freePorts(1);
  // What an application waits for a core that the server has says nothing of the SDK: the server takes what is left.
  const server = await startPeer(
    'nice',
    [
      ...['-n', String(SERVER_NICE), process.execPath, resolve('dist/apps/server/src/main.js')],
      ...['--port', String(port), '--data-dir', join(folder, 'data')],
    ],
    [port!],
  );
  const apiUrl = `http://127.0.0.1:${port}`;
  try {
    const cost = await (await startApp<CostFigures>('cost', apiUrl, String(CALLS))).figures;
    const stall = await (await startApp<StallFigures>('stall', apiUrl, String(STALL_SPANS))).figures;
    const outages: Record<string, OutageFigures> = {};
    for (const [name, fault] of Object.entries(OUTAGES)) outages[name] = await outage(apiUrl, fault, outageSeconds);
    return { cost, stall, outages, outageSeconds };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints the figures and notes them against the goals. */
export function reportSdk({ cost, stall, outages, outageSeconds }: SdkFigures): void {
  const bare = median(cost.bare);
  const observed = median(cost.observed) - bare;
  const disabled = median(cost.disabled) - bare;
  heading('SDK, observe around a function that does nothing, 1 KB in and out, CPU of the process a call');
  row('observed', `${observed.toFixed(1)} us`);
  row('delivered afterwards', `${median(cost.delivered).toFixed(1)} us`, `${cost.lost} lost`);
  row('disabled', `${disabled.toFixed(2)} us`);
  heading(`SDK, flush of ${STALL_SPANS} spans`);
  row(
    'longest turn',
    `${stall.wallMs.toFixed(1)} ms`,
    `${stall.cpuMs.toFixed(1)} ms CPU`,
    `${stall.delivered} delivered`,
  );
  const more = ({ rssPeak }: FloodFigures): number => rssPeak - outages[NO_OUTAGE]!.rssPeak;
  heading(`SDK, ${FLOOD_PER_SECOND} spans/s through an outage of ${outageSeconds} s`);
  row('', 'recorded', 'delivered', 'dropped', 'stored', 'twice', 'errors', 'RSS, MiB', 'more');
  for (const [name, figures] of Object.entries(outages)) {
    const { delivered, dropped } = figures.flushed;
    const counts = [figures.recorded, delivered, dropped, figures.stored, figures.doubled, figures.errors];
    row(name, ...counts.map(String), megabytes(figures.rssPeak), megabytes(more(figures)));
  }
  goal('observe, CPU us a call', observed, '<=', 15);
  goal('observe, disabled, CPU us a call', disabled, '<=', 1);
  goal('longest turn while flushing, ms', stall.wallMs, '<', 10);
  for (const [name, figures] of Object.entries(outages)) {
    const { delivered, dropped, rejected } = figures.flushed;
    const unaccounted =
      Math.abs(figures.recorded - delivered - dropped - rejected) + Math.abs(figures.stored - delivered);
    goal(`${name}: errors, spans not accounted for, twice`, figures.errors + unaccounted + figures.doubled, '<=', 0, {
      holdsAnywhere: true,
    });
    if (name === NO_OUTAGE) continue;
    // On a busy machine the server falls behind and the queue is full without an outage too.
    goal(`${name}: RSS more, MiB`, more(figures) / 1_048_576, '<=', 64);
  }
}

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);

async function outage(apiUrl: string, fault: Fault | 'down', seconds: number): Promise<OutageFigures> {
  const api = await startFaultyApi(apiUrl);
  try {
    const since = new Date().toISOString();
    const app = await startApp<FloodFigures>('flood', api.url, JSON.stringify({ perSecond: FLOOD_PER_SECOND }));
    await sleep(WARM_MS);
    if (fault === 'down') await api.goDown();
    else api.fault = fault;
    await sleep(seconds * 1_000);
    if (fault === 'down') await api.comeUp();
    else api.fault = 'none';
    app.end();
    const figures = await app.figures;
    return { ...figures, ...(await storedSince(apiUrl, since)) };
  } finally {
    await api.close();
  }
}

async function storedSince(apiUrl: string, since: string): Promise<{ stored: number; doubled: number }> {
  const api = new Api(apiUrl, sendRequest);
  const texts = new Set<string>();
  let stored = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    type Page = { spans: { input: unknown }[]; next_cursor: string | null };
    const path: string = `/api/spans?since=${since}&limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const { body }: { body: Page } = await api.get<Page>(path);
    stored += body.spans.length;
    for (const { input } of body.spans) texts.add(JSON.stringify(input));
    cursor = body.next_cursor;
  }
  return { stored, doubled: stored - texts.size };
}

/** Starts peers/sdk-app.ts. */
async function startApp<Figures>(measure: SdkMeasure, apiUrl: string, amount: string) {
  const sdk = pathToFileURL(await builtSdk()).href;
  const child = fork(resolve('bench/peers/sdk-app.ts'), [sdk, apiUrl, measure, amount], { execArgv: [] });
  const answered = once(child, 'message').then(([figures]) => figures as Figures);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${measure} ended early (${code})`)));
  ended.catch(() => undefined);
  return { figures: Promise.race([answered, ended]), end: () => void child.send('over') };
}
