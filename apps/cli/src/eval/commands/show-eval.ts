import type { ClientCall } from '../../client/client-command.js';
import { serverOf } from '../../client/client-of.js';
import { readReports, type ReportOptions } from '../options/report-option.js';
import { readStatisticsOptions, type StatisticsOptions } from '../options/statistics-options.js';
import { makeReport } from '../reports/make-report.js';
import { prepareReports, writeReports } from '../reports/write-reports.js';
import { reportLines } from '../show/report-lines.js';
import { documentOf } from './finish-run.js';

export type ShowEvalOptions = StatisticsOptions & ReportOptions;

/** `spandrel eval show`: a run as it is now. */
export async function showEval({ api, out, io, options }: ClientCall<ShowEvalOptions>, runId: string): Promise<void> {
  const by = readStatisticsOptions(options);
  const reports = readReports(options);
  prepareReports(reports);
  const run = await api.getEval({ path: { id: runId }, query: { items: 'none' } });
  const report = await makeReport(api, run, by, serverOf(options, io.env).url);
  writeReports(reports, [report], false);
  if (out.json) await out.document(documentOf(report));
  else await out.lines(reportLines(report, out));
}
