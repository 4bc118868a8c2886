import { appendFileSync, accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandIo } from '../../client/command-io.js';
import type { Api } from '@spandrel/sdk';
import { saveFile } from '../../client/datasets/import-export.js';
import { oneLine } from '../../client/output/text.js';
import { toExitCode } from '../judge-run.js';
import { collected } from '../../client/parameter-flags.js';
import { readOption } from '../options/judging-options.js';
import { describeStop } from '../words.js';
import { junitReport } from './junit.js';
import { markdownReport } from './markdown.js';
import type { EvalReport, EvalFault } from './report-items.js';

/**
 * Writes runs for GitHub's runner: the page of markdown behind what the step's summary has, and a line `::error` for each
 * gate that does not hold and each run that was stopped or failed. Elsewhere it does nothing.
 * @param env `GITHUB_STEP_SUMMARY` and `GITHUB_ACTIONS`.
 * @param write takes the lines.
 */
export function tellGitHub(
  reports: readonly EvalReport[],
  env: Readonly<Record<string, string | undefined>>,
  write: (text: string) => void,
  faults: readonly EvalFault[] = [],
): void {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: actions } = env;
  if (summary) appendFileSync(summary, `${markdownReport(reports, faults)}\n`);
  if (actions !== 'true') return;
  const ofFaults = faults.map(({ file, fault }) => `::error file=${property(file)}::${data(fault)}`);
  for (const line of [...reports.flatMap(errorLines), ...ofFaults]) write(`${line}\n`);
}

/**
 * Says that there is no run to compare with: gates that compare are left out then, which nobody may take for a pass.
 * @param why as `explainMissingBaseline` has it. @param hasGates whether gates are left out.
 * @returns a sentence without its end, for reports.
 */
export function warnOfMissingBaseline(
  { baseline, why, hasGates }: { baseline: string; why: string; hasGates: boolean },
  datasetName: string,
  io: CommandIo,
): string {
  const what = hasGates ? 'the regression gate was skipped' : 'nothing is compared';
  const lack = `the dataset "${oneLine(datasetName)}" has no completed run for the baseline ${oneLine(baseline)} (${oneLine(why)})`;
  const message = `${lack}: ${what}`;
  io.stderr.write(io.env['GITHUB_ACTIONS'] === 'true' ? `::warning::${data(message)}\n` : `${message}\n`);
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}: ${lack}`;
}

export function errorLines({ run, gates, file }: EvalReport): string[] {
  const stop = describeStop(run);
  const broken = gates.filter(({ passed }) => passed === false);
  const messages = [
    ...(stop === null ? [] : [stop]),
    ...broken.map(({ text, found }) => `${text} does not hold: found ${found}`),
  ];
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    `title=${property(`eval ${run.name}`)}`,
  ];
  return messages.map((message) => `::error ${properties.join(',')}::${data(message)}`);
}

/** Texts that GitHub's runner reads back: a line end would end the command, a percent sign would begin an escape. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

const REPORT_FORMATS = ['junit', 'json', 'markdown', 'csv', 'parquet'] as const;
type ReportFormat = (typeof REPORT_FORMATS)[number];
/** Tables, which the server writes: a file a run. */
type TableFormat = 'csv' | 'parquet';

export interface ReportOption {
  format: ReportFormat;
  file: string;
}

export interface ReportOptions {
  output?: string[];
}

export const addReportOption = (command: Command): Command =>
  command.option(
    '-o, --output <format=file>',
    `a report: ${REPORT_FORMATS.map((format) => `${format}=FILE`).join(', ')}; may come often`,
    collected,
  );

/** Reads reports as `-o` takes them: `junit=report.xml`. @throws UsageFault */
export const readReports = ({ output = [] }: ReportOptions): ReportOption[] =>
  output.map((text) => readOption('--output', text, readReport));

function readReport(text: string): ReportOption {
  const [, format, file] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  if (!isFormat(format)) {
    throw new Error(`"${text}" is not FORMAT=FILE; formats are ${REPORT_FORMATS.join(', ')}`);
  }
  return { format, file: file! };
}

const isFormat = (text: string | undefined): text is ReportFormat =>
  (REPORT_FORMATS as readonly (string | undefined)[]).includes(text);

/** A report as a program reads it: the resources as the API has them, what became of the run, and its exit code. */
const jsonResult = ({ file, run, statistics, gates, verdict, skipped, items, url }: EvalReport) => ({
  ...(file !== undefined && { file }),
  ...(skipped !== undefined && { skipped }),
  verdict,
  exit_code: toExitCode(verdict),
  url,
  gates: gates.map(({ text, found, passed }) => ({ gate: text, found, passed })),
  run,
  statistics,
  items,
});

/** A report without its items: an answer on a terminal is to be small. */
export function toDocument(report: EvalReport): object {
  const { items: _items, ...document } = jsonResult(report);
  return document;
}

export const jsonFault = ({ file, fault, exitCode }: EvalFault) => ({ file, exit_code: exitCode, error: fault });

type Write = (reports: readonly EvalReport[], faults: readonly EvalFault[], areSeveral: boolean) => string;

const TEXT_OF: Readonly<Record<Exclude<ReportFormat, TableFormat>, Write>> = {
  junit: junitReport,
  markdown: markdownReport,
  json: (reports, faults, areSeveral) => {
    const results = [...reports.map(jsonResult), ...faults.map(jsonFault)];
    return `${JSON.stringify(areSeveral ? { evals: results } : results[0], null, 2)}\n`;
  },
};

/** Makes the folders of reports before anything is started. @throws UsageFault for a file that cannot be written. */
export function prepareReports(options: readonly ReportOption[]): void {
  for (const { file } of options) readOption('--output', file, prepareFile);
}

function prepareFile(file: string): void {
  const folder = dirname(resolve(file));
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error(`${file} is a folder`);
  if (found) accessSync(file, constants.W_OK);
}

/**
 * Writes the reports that were asked for, and then the tables, which the server makes: one a run, where there are several
 * `results-1.csv`, `results-2.csv`.
 * @param areSeveral whether they are those of a command that takes several evals.
 */
export async function writeReports(
  api: Api,
  options: readonly ReportOption[],
  reports: readonly EvalReport[],
  areSeveral: boolean,
  faults: readonly EvalFault[] = [],
): Promise<void> {
  for (const { format, file } of options) {
    if (!isTable(format)) writeFileSync(file, TEXT_OF[format](reports, faults, areSeveral));
  }
  for (const { format, file } of options.filter((option) => isTable(option.format))) {
    for (const [index, { run }] of reports.entries()) {
      const { body } = await api.raw('GET', `/api/eval/${encodeURIComponent(run.id)}/items`, { query: { format } });
      await saveFile(body!, reports.length === 1 ? file : numbered(file, index + 1));
    }
  }
}

const isTable = (format: ReportFormat): format is TableFormat => format === 'csv' || format === 'parquet';

const numbered = (file: string, number: number): string => file.replace(/(\.[^./]*)?$/, `-${number}$1`);
