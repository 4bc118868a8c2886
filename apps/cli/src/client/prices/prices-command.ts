import { readFile, writeFile } from 'node:fs/promises';
import { applyPricesSchema, listPricesSchema, type ListedPrice } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { Price, TokenPrices } from '@spandrel/plugin-api';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import { CommandFailure, UsageFault } from '../exit-codes.js';
import { listItems, type ShownList } from '../list/list-command.js';
import { Output } from '../output/output.js';
import type { Column } from '../output/table.js';
import { oneLine } from '../output/text.js';
import { costText, countText } from '../output/units.js';
import { addParameterFlags } from '../parameter-flags.js';
import { applyPrices } from './apply-prices.js';

export function addPrices(client: ClientProgram, description: string): void {
  const prices = client.program.command('prices').description(description);
  const list = prices
    .command('list')
    .description('list the prices in force, by the names of models')
    .argument('[model]', 'its price alone; where it has none, those of the models with names near to it')
    .option('--all', 'every page, not one')
    .option('-o, --output <file>', 'all of them, as a table for pricing.file');
  addParameterFlags(list, listPricesSchema.omit({ model: true }));
  clientCommand<ListOptions, [string | undefined]>(client, list, ({ options, ...call }, model) => {
    const asked = { ...call, options: { ...options, ...(model !== undefined && { model }) } };
    return options.output === undefined ? listItems(asked, PRICES) : writeTable(asked, options.output);
  });
  prices
    .command('check')
    .description('check a table for pricing.file, and name each fault with its place')
    .argument('<file>', 'JSON')
    .option('--json', 'answer in JSON')
    .action((file: string, { json }: { json?: boolean }) => checkPrices(new Output(client.io, json === true), file));
  const apply = prices
    .command('apply')
    .description('price recorded spans again whose cost the price table computed, or could not');
  addParameterFlags(apply, applyPricesSchema);
  clientCommand<object, []>(client, apply, applyPrices);
}

interface ListOptions {
  all?: boolean;
  output?: string;
}

async function writeTable({ api, out, options }: ClientCall<{ model?: string }>, file: string): Promise<void> {
  const { model } = options;
  const models: Record<string, unknown> = {};
  for await (const listed of api.pages('listPrices', {
    query: { limit: 1_000, ...(model !== undefined && { model }) },
  })) {
    models[listed.model] = { ...listed.price, source: listed.source };
  }
  await writeFile(file, `${JSON.stringify({ models }, undefined, 2)}\n`).catch((error: Error) => {
    throw new CommandFailure(`${file}: cannot be written (${error.message})`);
  });
  out.note(`wrote the prices of ${formatCounted(Object.keys(models).length, 'model')} to ${file}`);
}

/** Checks a file for `pricing.file` as a server does. @throws UsageFault with a line a fault. */
async function checkPrices(out: Output, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageFault(`${file}: cannot be read (${error.code})`);
  });
  const { readPrices } = await import('@spandrel/tracing');
  const read = readPrices(text, file);
  if ('faults' in read) throw new UsageFault(read.faults.map((fault) => `${file}: ${fault}`).join('\n'));
  const models = Object.keys(read.table.models).length;
  if (out.json) await out.document({ file, models });
  else await out.lines([`${oneLine(file)}: the prices of ${formatCounted(models, 'model')} can be taken`]);
}

const tokenPrice = (title: string, member: keyof TokenPrices, leaveOut?: number): Column<ListedPrice> => ({
  title,
  text: ({ price }) => priceText((price as Partial<TokenPrices>)[member]),
  align: 'right',
  ...(leaveOut !== undefined && { leaveOut }),
});

const SHOWN: ReadonlySet<string> = new Set(['input', 'cached_input', 'cache_write', 'output']);

/** Dollars for a million tokens. */
const PRICES: ShownList<ListedPrice> = {
  member: 'prices',
  schema: listPricesSchema,
  columns: () => [
    { title: 'MODEL', text: ({ model }) => model, style: () => 'cyan' },
    tokenPrice('INPUT/M', 'input'),
    tokenPrice('CACHED/M', 'cached_input', 2),
    tokenPrice('WRITTEN/M', 'cache_write', 3),
    tokenPrice('OUTPUT/M', 'output'),
    {
      title: 'ALSO PRICED',
      text: ({ price }) =>
        Object.keys(price)
          .filter((name) => !SHOWN.has(name))
          .join(', '),
      shrinks: true,
      leaveOut: 4,
    },
    { title: 'SOURCE', text: ({ source }) => source, shrinks: true, leaveOut: 1 },
  ],
};

/** `$2.50`, in tiers `$1.25, $2.50 above 200,000`. */
function priceText(price: Price | undefined): string {
  if (price === undefined) return '';
  if (typeof price === 'number') return costText(price);
  const tiers = price.tiers.map(({ above, price: dollars }) => `${costText(dollars)} above ${countText(above)}`);
  return [costText(price.base), ...tiers].join(', ');
}
