import { readFile } from 'node:fs/promises';
import { formatCounted } from '@spandrel/contract/browser';
import { UsageFault } from '../exit-codes.js';
import type { Output } from '../output/output.js';
import { oneLine } from '../output/text.js';

/** Checks a file for `pricing.file` as a server does. @throws UsageFault with a line a fault. */
export async function checkPrices(out: Output, file: string): Promise<void> {
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
