import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BackgroundTasks, StartError, type Logger, type PluginRegistry } from '@spandrel/kernel';
import { CurrentPrices } from './current-prices.js';

describe('CurrentPrices', () => {
  let folder: string;
  let file: string;
  let lines: [level: string, facts: Record<string, unknown>][];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spandrel-prices-'));
    file = join(folder, 'prices.json');
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const logged = (level: string) => (facts: Record<string, unknown>) => void lines.push([level, facts]);
  const logger = { error: logged('error'), info: logged('info'), warn: logged('warn') } as unknown as Logger;
  const plugins = {
    providers: [{ name: 'acme', extension: { prices: { acme: { input: 4, output: 4 } } } }],
  } as unknown as PluginRegistry;
  const current = (priceFile: string | null = file) =>
    new CurrentPrices(
      { retentionIntervalMs: 1, indexedMetadata: [], prices: { mine: { input: 3, output: 3 } }, priceFile },
      plugins,
      logger,
      new BackgroundTasks(logger),
    );
  const write = (models: object): void => writeFileSync(file, JSON.stringify({ models }));

  it('has the prices of the table, of the file over it, of plugins and of the configuration', () => {
    write({ 'gpt-4o': { input: 9, output: 9 }, new: { input: 1, output: 1 }, acme: { input: 9, output: 9 } });
    const prices = current();
    expect(['gpt-4o', 'new', 'acme', 'mine'].map((model) => prices.get(model)?.input)).toEqual([9, 1, 4, 3]);
    expect(prices.get('gpt-4o-mini')).toBeDefined();
    expect(current(null).get('gpt-4o')).toMatchObject({ input: 2.5 });
  });

  it('takes a file that has changed', async () => {
    write({ new: { input: 1, output: 1 } });
    const prices = current();
    await prices.refresh();
    expect(prices.get('new')?.input).toBe(1);
    write({ new: { input: 2, output: 22 }, newer: { input: 5, output: 5 } });
    await prices.refresh();
    expect([prices.get('new')?.input, prices.get('newer')?.input]).toEqual([2, 5]);
    expect(lines).toEqual([['info', { file, models: 2 }]]);
  });

  it('keeps its prices and says why when the file becomes bad or goes, once for each state of it', async () => {
    write({ new: { input: 1, output: 1 } });
    const prices = current();
    writeFileSync(file, '{"models":{"new":{"input":-1,"output":1}}}');
    await prices.refresh();
    await prices.refresh();
    rmSync(file);
    await prices.refresh();
    await prices.refresh();
    expect(prices.get('new')?.input).toBe(1);
    expect(lines).toEqual([
      ['error', { file, faults: [expect.stringContaining('models.new.input')] }],
      ['error', { file, faults: [`${file} does not exist`] }],
    ]);
    write({ new: { input: 7, output: 1 } });
    await prices.refresh();
    expect(prices.get('new')?.input).toBe(7);
  });

  it('refuses a start with a file that is missing or wrong', () => {
    expect(() => current()).toThrow(new StartError([`pricing.file (SPANDREL_PRICING_FILE): ${file} does not exist`]));
    write({ new: { input: 'x' } });
    expect(() => current()).toThrow(/pricing\.file .*models\.new\.input: must be a number/);
  });
});
