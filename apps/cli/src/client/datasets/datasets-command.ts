import { Option } from 'commander';
import { plainListSchema, type DatasetResource } from '@spandrel/contract';
import { clientCommand, type ClientProgram } from '../client-command.js';
import { addListed } from '../list/list-command.js';
import type { Column } from '../output/table.js';
import { countText, timeText } from '../output/units.js';
import { exportDataset, FILE_FORMATS, PIPE, importDataset } from './import-export.js';

export function addDatasets(client: ClientProgram, description: string): void {
  const datasets = addListed(client, description, { member: 'datasets', schema: plainListSchema, columns });
  const ending = "taken from the ending of the file's name, jsonl for -";
  const format = (what: string): Option => new Option('--format <format>', `${what}; ${ending}`).choices(FILE_FORMATS);
  const importing = datasets
    .command('import')
    .description('put the rows of a file into a dataset: all of them, or none')
    .argument('<file>', 'JSONL, JSON or CSV; - is standard input')
    .requiredOption('--dataset <name>', 'name or id; made when there is none of this name')
    .addOption(format('what the file is'))
    .addOption(new Option('--on-error <what>', 'what a bad row does').choices(['reject', 'skip']))
    .option('--dedupe', 'leave rows out whose content the dataset, or an earlier row, has already')
    .option('--replace', 'make the dataset what the file is; datapoints that it has already stay, with their results');
  clientCommand(client, importing, importDataset);
  const exporting = datasets
    .command('export')
    .description('write the datapoints of a dataset')
    .argument('<name>', 'name or id')
    .option('-o, --output <file>', 'where to; - is standard output', PIPE)
    .addOption(format('as what'));
  clientCommand(client, exporting, exportDataset);
}

const columns = (isTerminal: boolean): readonly Column<DatasetResource>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'DATAPOINTS', text: ({ datapoint_count: datapoints }) => countText(datapoints), align: 'right' },
  { title: 'VERSION', text: ({ version }) => countText(version), align: 'right', leaveOut: 1 },
  { title: 'CHANGED', text: ({ updated_at: at }) => timeText(at, isTerminal), leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name, shrinks: true },
  { title: 'DESCRIPTION', text: ({ description }) => description ?? '', shrinks: true, leaveOut: 3 },
];
