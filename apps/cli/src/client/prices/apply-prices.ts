import { applyPricesSchema, type AppliedPrices } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import type { ClientCall } from '../client-command.js';
import type { CommandIo } from '../command-io.js';
import { factLines, type Fact } from '../output/table.js';
import { costText, countText } from '../output/units.js';
import { readParameters } from '../parameter-flags.js';

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
