import type { Command } from 'commander';
import { collected, readOption } from './read-option.js';

const REPORT_FORMATS = ['junit', 'json', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A report that is asked for. */
export interface ReportOption {
  format: ReportFormat;
  file: string;
}

/** What commander gives. */
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
