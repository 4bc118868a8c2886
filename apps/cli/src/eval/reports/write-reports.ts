import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readOption } from '../options/read-option.js';
import type { ReportFormat, ReportOption } from '../options/report-option.js';
import type { EvalFault, EvalReport } from './eval-report.js';
import { jsonFault, jsonResult } from './json.js';
import { junitReport } from './junit.js';
import { markdownReport } from './markdown.js';

type Write = (reports: readonly EvalReport[], faults: readonly EvalFault[], areSeveral: boolean) => string;

const TEXT_OF: Readonly<Record<ReportFormat, Write>> = {
  junit: junitReport,
  markdown: markdownReport,
  json: (reports, faults, areSeveral) => {
    const results = [...reports.map(jsonResult), ...faults.map(jsonFault)];
    return `${JSON.stringify(areSeveral ? { evals: results } : results[0], null, 2)}\n`;
  },
};

/**
 * Makes the folders that reports go to, before anything is started whose reports could not be written then.
 * @throws UsageFault for a file that cannot be written.
 */
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

/** Writes the reports that were asked for. @param areSeveral whether they are those of a command that takes several evals. */
export function writeReports(
  options: readonly ReportOption[],
  reports: readonly EvalReport[],
  areSeveral: boolean,
  faults: readonly EvalFault[] = [],
): void {
  for (const { format, file } of options) writeFileSync(file, TEXT_OF[format](reports, faults, areSeveral));
}
