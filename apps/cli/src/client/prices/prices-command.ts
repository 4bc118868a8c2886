import { readFile, writeFile } from 'node:fs/promises';
import { applyPricesSchema, listPricesSchema, type ListedPrice, type AppliedPrices } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { Price, TokenPrices } from '@spandrel/plugin-api';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import { CommandFailure, UsageFault } from '../exit-codes.js';
import { listItems, type ShownList } from '../list/list-command.js';
import { Output } from '../output/output.js';
import { type Column, factLines, type Fact } from '../output/table.js';
import { oneLine } from '../output/text.js';
import { costText, countText } from '../output/units.js';
import { addParameterFlags, readParameters } from '../parameter-flags.js';
import type { CommandIo } from '../command-io.js';

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
  const count = Object.keys(models).length;
  await out.wrote({ file, models: count }, `the prices of ${formatCounted(count, 'model')} to ${file}`);
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

/** So often a file or a pipe is reported how far it is. */
const SPANS_A_LINE = 100_000;

/** Has recorded spans priced again, some in each request, and says what that came to. It can be run again at any time. */
export async function applyPrices({ api, out, io, options }: ClientCall<object>): Promise<void> {
  const asked = readParameters(applyPricesSchema, options);
  const sums: AppliedPrices = {
    ...{ examined: 0, changed: 0, unchanged: 0, reported: 0, before: 0, after: 0 },
    next_cursor: (asked['cursor'] as string | undefined) ?? null,
  };
  const report = progressOn(io);
  try {
    do {
      const cursor = sums.next_cursor;
      const body = { ...asked, ...(cursor !== null && { cursor }) };
      addTo(sums, await api.applyPrices({ body, retry: true }));
      report(sums);
    } while (sums.next_cursor !== null);
  } catch (error) {
    report(null);
    if (sums.next_cursor !== null) out.note(`to go on where it stopped: --cursor ${sums.next_cursor}`);
    throw error;
  }
  report(null);
  if (out.json) await out.document(sums);
  else await out.lines(factLines(factsOf(sums, asked['dry_run'] === true), out.paint));
}

function addTo(sums: AppliedPrices, page: AppliedPrices): void {
  for (const count of ['examined', 'changed', 'unchanged', 'reported'] as const) sums[count] += page[count];
  for (const dollars of ['before', 'after'] as const) sums[dollars] = rounded(sums[dollars] + page[dollars]);
  sums.next_cursor = page.next_cursor;
}

/** Dollars to the trillionth, so that no binary fraction shows. */
const rounded = (dollars: number): number => Number(dollars.toFixed(12));

const factsOf = ({ examined, changed, unchanged, reported, before, after }: AppliedPrices, isDry: boolean): Fact[] => [
  ['Looked at', formatCounted(examined, 'span')],
  [isDry ? 'Would change' : 'Changed', countText(changed)],
  ['Unchanged', countText(unchanged)],
  ['Cost was reported', countText(reported)],
  ['Cost before', costText(before)],
  ['Cost after', costText(after)],
];

/** @returns what shows how far it is; `null` clears the line. */
function progressOn({ stderr }: CommandIo): (sums: AppliedPrices | null) => void {
  if (stderr.isTTY) {
    return (sums) => {
      const text = sums === null ? '' : `${countText(sums.examined)} spans, ${countText(sums.changed)} changed`;
      stderr.write(`\r\u001b[K${text}`);
    };
  }
  let said = 0;
  return (sums) => {
    if (sums === null || sums.examined < said + SPANS_A_LINE) return;
    said = sums.examined;
    stderr.write(`${countText(sums.examined)} spans, ${countText(sums.changed)} changed\n`);
  };
}
