import { Argument } from 'commander';
import { formatCounted } from '@spandrel/contract/browser';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import { UsageFault } from '../exit-codes.js';
import { countText } from '../output/units.js';
import { oneLine } from '../output/text.js';
import { findFiles, readRecords, type ExportFile } from './export-files.js';
import { Intake, type Place, type Product, type Summary } from './intake.js';
import { Langfuse } from './langfuse.js';
import { Opik } from './opik.js';
import { Phoenix } from './phoenix.js';

const PRODUCTS: Readonly<Record<string, () => Product>> = {
  langfuse: () => new Langfuse(),
  phoenix: () => new Phoenix(),
  opik: () => new Opik(),
};

/** `spandrel import`: takes the export files of another product into a server. */
export function addImport(client: ClientProgram, description: string): void {
  const command = client.program
    .command('import')
    .description(description)
    .addArgument(new Argument('<product>', 'whose export it is').choices(Object.keys(PRODUCTS)))
    .argument('<path>', 'a file of the export, or a folder of them: JSON or JSON lines, also packed by gzip')
    .addHelpText(
      'after',
      '\nIt may be repeated: what is there already is not doubled. docs/coming-from.md says what becomes what.',
    );
  clientCommand<object>(client, command, importExport);
}

async function importExport({ api, out, io }: ClientCall<object>, name: string, path: string): Promise<void> {
  const product = PRODUCTS[name]!();
  const found = await findFiles(path);
  const all = found.files;
  product.arrange?.(found);
  const intake = new Intake(api, ({ taken }) => {
    if (io.stderr.isTTY) io.stderr.write(`\r${countText(taken.spans)} spans`);
  });
  for (const { file, message } of found.leftOut) intake.leaveOut({ file }, message);
  if (all.length === 0) throw new UsageFault(nothingIn(path, NO_FILE, intake.summary.left_out.records));
  for (const file of found.files) await takeFile(file, product, name, intake, io.signal);
  if (intake.isUntouched) {
    const passedOver = all
      .filter((file) => !found.files.includes(file))
      .map(({ name: file }) => ({ file, message: NOT_TAKEN }));
    const left = [...intake.summary.left_out.records, ...passedOver];
    throw new UsageFault(nothingIn(path, `holds nothing of an export of ${name}`, left));
  }
  await product.finish?.(intake);
  await intake.flush();
  if (io.stderr.isTTY) io.stderr.write('\r\u001b[K');
  if (out.json) await out.document(intake.summary);
  else await out.lines(summaryLines(intake.summary));
}

/** @throws UsageFault where the first record that is read at all is of another product. */
async function takeFile(
  file: ExportFile,
  product: Product,
  name: string,
  intake: Intake,
  signal: AbortSignal,
): Promise<void> {
  intake.summary.files++;
  for await (const record of readRecords(file.path, signal)) {
    signal.throwIfAborted();
    const place = { file: file.name, line: record.line };
    if ('fault' in record) {
      intake.leaveOut(place, record.fault);
    } else {
      try {
        await takeRecord(record.value, place);
      } catch (error) {
        // Values of strangers may be too deep to be walked through, or odd in a way that nobody thought of.
        if (error === intake.failure || error instanceof UsageFault) throw error;
        intake.leaveOut(place, `cannot be taken: ${(error as Error).message}`);
      }
    }
  }

  async function takeRecord(value: unknown, place: Place): Promise<void> {
    if (product.knows(value)) {
      intake.isUntouched = false;
      return product.take(value, place, intake);
    }
    const other = Object.keys(PRODUCTS).find((one) => one !== name && PRODUCTS[one]!().knows(value));
    if (other !== undefined && intake.isUntouched) {
      throw new UsageFault(`${file.path}: is an export of ${other}; spandrel import ${other} reads it`);
    }
    intake.leaveOut(place, `holds no trace, span, score or dataset of an export of ${name}`);
  }
}

const NO_FILE = 'holds no file that is read, .json, .jsonl or .ndjson, also packed as .gz';
const NOT_TAKEN = 'is a part of the export that is not taken';

const nothingIn = (path: string, why: string, left: Summary['left_out']['records']): string =>
  [`${path}: ${why}`, ...left.slice(0, NAMED_MAX).map(placed)].join('\n');

const placed = ({ file, line, message }: Summary['left_out']['records'][number]): string =>
  `${oneLine(file)}${line === undefined ? '' : `, line ${line}`}: ${oneLine(message)}`;

const NAMED_MAX = 20;

function summaryLines({ files, taken, duplicates, mapped, left_out: left }: Summary): string[] {
  const counts = Object.entries(taken).map(([name, count]) => formatCounted(count, name.slice(0, -1)));
  const kinds = Object.entries(mapped).toSorted(([, a], [, b]) => b - a);
  return [
    `taken from ${formatCounted(files, 'file')}: ${counts.join(', ')}`,
    ...(duplicates > 0 ? [`${formatCounted(duplicates, 'datapoint')} there already`] : []),
    ...kinds.slice(0, NAMED_MAX).map(([words, count]) => `  ${oneLine(words)}: ${countText(count)}`),
    ...(kinds.length > NAMED_MAX ? ['  …'] : []),
    ...(left.count > 0 ? [`left out ${countText(left.count)}:`] : []),
    ...left.records.slice(0, NAMED_MAX).map((one) => `  ${placed(one)}`),
    ...(left.count > NAMED_MAX ? ['  …'] : []),
  ];
}
