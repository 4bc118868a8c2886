import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  LOGGER,
  pathFault,
  BackgroundTasks,
  PLUGINS,
  settingName,
  StartError,
  type Logger,
  type PluginRegistry,
} from '@spandrel/kernel';
import type { ModelPrice } from '@spandrel/plugin-api';
import { readPrices } from './price-file.js';
import { loadPricing, pricesOfPlugins, type PriceTable, type PricingTable } from './pricing.js';
import { TracingSettings } from '../tracing.settings.js';

/** How often the file is looked at. */
const EVERY_MS = 2_000;

/** The prices in force, with those of `pricing.file` as it is now (docs/spec/recording.md#price-file). */
@Injectable()
export class CurrentPrices implements PricingTable {
  private prices: ReadonlyMap<string, ModelPrice>;
  /** The file as it was looked at last, good or bad. */
  private seen: string | undefined;

  /** @throws StartError when the file cannot be read or is no table of prices. */
  constructor(
    private readonly settings: TracingSettings,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
    tasks: BackgroundTasks,
  ) {
    const { priceFile } = settings;
    this.prices = this.load(priceFile === null ? undefined : readAtStart(priceFile));
    if (priceFile === null) return;
    tasks.add({
      everyMs: EVERY_MS,
      task: () => this.refresh(),
      failure: 'prices could not be looked at again',
    });
  }

  get(model: string): ModelPrice | undefined {
    return this.prices.get(model);
  }

  /** All prices in force, by name. */
  entries(): ReadonlyMap<string, ModelPrice> {
    return this.prices;
  }

  /** Reads the file again if it has changed; a bad one leaves the prices as they were. */
  async refresh(): Promise<void> {
    const file = this.settings.priceFile;
    if (file === null) return;
    const now = await stateOf(file);
    if (now === this.seen) return;
    const isFirst = this.seen === undefined;
    this.seen = now;
    const read = await readFile(file, 'utf8').then(
      (text) => readPrices(text, FILE_SOURCE),
      (error: unknown) => ({ faults: [pathFault(file, error).message] }),
    );
    if ('faults' in read) {
      this.logger.error({ file, faults: read.faults }, 'pricing.file cannot be taken; the prices stay as they were');
      return;
    }
    this.prices = this.load(read.table);
    if (!isFirst) this.logger.info({ file, models: Object.keys(read.table.models).length }, 'prices were read again');
  }

  private load(file: PriceTable | undefined): ReadonlyMap<string, ModelPrice> {
    return loadPricing(this.settings.prices, pricesOfPlugins(this.plugins), file);
  }
}

/** Who says so of prices of a file that does not say itself. */
const FILE_SOURCE = 'pricing.file';

function readAtStart(file: string): PriceTable {
  const refused = (faults: string[]) =>
    new StartError(faults.map((fault) => `${settingName(TracingSettings.declared.priceFile)}: ${fault}`));
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refused([pathFault(file, error).message]);
  }
  const read = readPrices(text, FILE_SOURCE);
  if ('faults' in read) throw refused(read.faults.map((fault) => `${file}: ${fault}`));
  return read.table;
}

/** Text that is another one for each state of a file. */
async function stateOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : 'missing';
}
