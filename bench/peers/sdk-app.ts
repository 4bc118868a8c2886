/**
 * An application with the SDK in it, which measures itself: started with IPC, the address of the built SDK, the API's URL and
 * what to measure. It sends the figures and ends.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CostFigures, FloodCommand, FloodFigures, FlushCounts, SdkMeasure, StallFigures } from '../sdk-figures.ts';

/** What is used of the SDK. */
interface Sdk {
  observe<Args extends unknown[], Result>(run: (...args: Args) => Result, options: { name: string }): typeof run;
  flush(options?: { timeoutMs: number }): Promise<FlushCounts>;
}

const [sdkUrl, apiUrl, measure, amount] = process.argv.slice(2) as [string, string, SdkMeasure, string];
const { Spandrel } = (await import(sdkUrl)) as { Spandrel: new (options: object) => Sdk };

const KB = 1_024;
/** Texts that differ, so that nothing is kept once for all. */
const textOf = (n: number): string =>
  `${String(n).padStart(8, '0')} ${'The tide is high at noon. '.repeat(40)}`.slice(0, KB);
const microsOf = ({ user, system }: NodeJS.CpuUsage): number => user + system;

const MEASURES: Record<SdkMeasure, () => Promise<unknown>> = { cost, stall, flood };
process.send!(await MEASURES[measure]());
process.disconnect?.();

/**
 * CPU of the whole process a call, the garbage collector's threads included: of the bare function, observed, and disabled;
 * and of bringing a span to the server afterwards.
 */
async function cost(): Promise<CostFigures> {
  const calls = Number(amount);
  const bare = (text: string): string => text;
  const { sdk, release } = holdingSdk();
  const off = new Spandrel({ apiUrl, enabled: false });
  const forms = { bare, observed: sdk.observe(bare, { name: 'f' }), disabled: off.observe(bare, { name: 'f' }) };
  const texts = Array.from({ length: 100 }, (_, n) => textOf(n));
  const measured = async (run: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await run();
    return microsOf(process.cpuUsage(before)) / calls;
  };
  const call = async (run: (text: string) => string): Promise<void> => {
    for (let n = 0; n < calls; n += texts.length) {
      for (const text of texts) run(text);
      await nextTurn();
    }
  };
  const turns: Omit<CostFigures, 'lost'> = { bare: [], observed: [], disabled: [], delivered: [] };
  // The first rounds warm the code.
  for (let round = -2; round < 9; round++) {
    for (const form of ['bare', 'observed', 'disabled'] as const) {
      const micros = await measured(() => call(forms[form]));
      if (round >= 0) turns[form].push(micros);
    }
    const micros = await measured(() => release(() => sdk.flush({ timeoutMs: 60_000 })));
    if (round >= 0) turns.delivered.push(micros);
  }
  const { pending, dropped, rejected } = await sdk.flush();
  return { ...turns, lost: pending + dropped + rejected };
}

/** How long the event loop stands still at most while recorded spans are flushed; the middle of some flushes. */
async function stall(): Promise<StallFigures> {
  const { sdk, release } = holdingSdk();
  const observed = sdk.observe((text: string) => text, { name: 'f' });
  const all: { wallMs: number; cpuMs: number }[] = [];
  let delivered = 0;
  for (let round = -1; round < 5; round++) {
    for (let n = 0; n < Number(amount); n++) {
      observed(textOf(n));
      if (n % 100 === 0) await nextTurn();
    }
    const figures = { wallMs: 0, cpuMs: 0 };
    await release(async () => {
      let isDone = false;
      void sdk.flush({ timeoutMs: 60_000 }).then((result) => {
        delivered = result.delivered;
        isDone = true;
      });
      while (!isDone) {
        const before = performance.now();
        const cpuBefore = process.threadCpuUsage();
        await nextTurn();
        figures.wallMs = Math.max(figures.wallMs, performance.now() - before);
        figures.cpuMs = Math.max(figures.cpuMs, microsOf(process.threadCpuUsage(cpuBefore)) / 1_000);
      }
    });
    if (round >= 0) all.push(figures);
  }
  const middle = (of: (figures: (typeof all)[number]) => number): number =>
    all.map(of).toSorted((a, b) => a - b)[all.length >> 1]!;
  return { wallMs: middle(({ wallMs }) => wallMs), cpuMs: middle(({ cpuMs }) => cpuMs), delivered };
}

/** An SDK whose requests wait for {@link release}, so that recording and delivery can be distinguished. */
function holdingSdk(): { sdk: Sdk; release: (during: () => Promise<unknown>) => Promise<void> } {
  let letGo = (): void => undefined;
  let held = new Promise<void>((done) => (letGo = done));
  const { fetch: send } = globalThis;
  // In the place of the platform's own: with the option `fetch` each body would have memory of its own.
  globalThis.fetch = async (...request) => {
    await held;
    return send(...request);
  };
  const sdk = new Spandrel({
    apiUrl,
    delivery: { pace: { requestMs: 600_000, requestMaxMs: 600_000 } },
  });
  const release = async (during: () => Promise<unknown>): Promise<void> => {
    letGo();
    await during();
    held = new Promise((done) => (letGo = done));
  };
  return { sdk, release };
}

/** Records steadily, through an outage that the bench makes, until it says that all is well again. */
async function flood(): Promise<FloodFigures> {
  const { perSecond } = JSON.parse(amount) as FloodCommand;
  const sdk = new Spandrel({ apiUrl });
  const answer = sdk.observe((text: string) => text, { name: 'f' });
  const figures: FloodFigures = {
    recorded: 0,
    errors: 0,
    rssPeak: 0,
    flushed: { delivered: 0, pending: 0, dropped: 0, rejected: 0, lastError: null },
  };
  let isOver = false;
  process.on('message', () => (isOver = true));
  process.on('uncaughtException', () => figures.errors++);
  const started = performance.now();
  while (!isOver) {
    const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
    for (; figures.recorded < due; figures.recorded++) {
      const text = textOf(figures.recorded);
      try {
        if (answer(text) !== text) figures.errors++;
      } catch {
        figures.errors++;
      }
    }
    figures.rssPeak = Math.max(figures.rssPeak, process.memoryUsage.rss());
    await sleep(5);
  }
  do figures.flushed = await sdk.flush({ timeoutMs: 5_000 });
  while (figures.flushed.pending > 0);
  return figures;
}
