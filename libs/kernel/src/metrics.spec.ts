import { describe, expect, it, afterEach, beforeEach, jest } from '@jest/globals';
import { Gauge, Registry } from '@prometheus-io/client';
import { metricsText, registerSourceGauges, SOURCE_MS_MAX } from './metrics.js';

describe('metricsText', () => {
  it('writes what is not known as the format of Prometheus has it', async () => {
    const registry = new Registry();
    const lag = new Gauge({ name: 'lag_seconds', help: 'Nan', registers: [registry] });
    lag.set(NaN);
    expect(await metricsText(registry)).toMatch(/^# HELP lag_seconds Nan\n# TYPE lag_seconds gauge\nlag_seconds NaN\n/);
  });
});

/** A page with two gauges of one source, the second one by label; only its samples. */
function pageOf(read: () => Promise<number>): () => Promise<string[]> {
  const registry = new Registry();
  registerSourceGauges(registry, read, [
    { name: 'waiting', help: 'h', samples: (value) => [{ value }] },
    { name: 'size', help: 'h', labelNames: ['part'], samples: (value) => [{ labels: { part: 'a' }, value }] },
  ]);
  return async () => (await metricsText(registry)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('gauges of a source outside the process', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('share one reading a page, also where two pages are asked for at once', async () => {
    let reads = 0;
    const page = pageOf(async () => ++reads);
    const first = ['waiting 1', 'size{part="a"} 1'];
    expect(await Promise.all([page(), page()])).toEqual([first, first]);
    expect(await page()).toEqual(['waiting 2', 'size{part="a"} 2']);
  });

  it('have no samples while the source cannot be read, neither 0 nor the last ones, and have them again afterwards', async () => {
    let isAway = true;
    const page = pageOf(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(7)));
    expect(await page()).toEqual([]);
    isAway = false;
    expect(await page()).toEqual(['waiting 7', 'size{part="a"} 7']);
    isAway = true;
    expect(await page()).toEqual([]);
  });

  it('are not waited for longer than the limit while the source hangs, which is asked once', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    let reads = 0;
    const page = pageOf(() => (++reads === 1 ? promise : Promise.resolve(8)));
    const pages = [page(), page()];
    await jest.advanceTimersByTimeAsync(SOURCE_MS_MAX);
    expect(await Promise.all(pages)).toEqual([[], []]);
    expect(reads).toBe(1);
    resolve(7);
    await jest.advanceTimersByTimeAsync(0);
    expect(await page()).toEqual(['waiting 8', 'size{part="a"} 8']);
  });
});
