import type { EvalRunSummary } from '@spandrel/contract';
import type { ClientCall } from '../../client/client-command.js';
import { serverOf, type ClientOptions } from '../../client/client-of.js';
import type { ExitCode } from '../../client/exit-codes.js';
import { exitCodeOf } from '../judge/exit-code-of.js';
import type { JudgedBy } from '../judge/judge-run.js';
import type { ReportOption } from '../options/report-option.js';
import type { EvalReport } from '../reports/eval-report.js';
import { tellGitHub } from '../reports/github.js';
import { jsonResult } from '../reports/json.js';
import { makeReport } from '../reports/make-report.js';
import { writeReports } from '../reports/write-reports.js';
import { reportLines } from '../show/report-lines.js';

/** Judges a run, writes its reports and shows it. @returns the exit code of the command. */
export async function finishRun(
  call: Pick<ClientCall<object>, 'api' | 'out' | 'io' | 'options'>,
  run: EvalRunSummary,
  by: JudgedBy,
  reports: readonly ReportOption[],
): Promise<ExitCode> {
  const { url } = serverOf(call.options as ClientOptions, call.io.env);
  const report = await makeReport(call.api, run, by, url);
  writeReports(reports, [report], false);
  await showReports(call, [report]);
  return exitCodeOf(report.verdict);
}

/** Shows reports to whoever looks: people, a program, GitHub. */
async function showReports(
  { out, io }: Pick<ClientCall<object>, 'out' | 'io'>,
  reports: readonly EvalReport[],
): Promise<void> {
  if (out.json) await out.document(documentOf(reports[0]!));
  else for (const report of reports) await out.lines(reportLines(report, out));
  // A document stands alone on its stream; GitHub's runner reads both.
  tellGitHub(reports, io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text));
}

/** Items are in reports and not here: an answer on a terminal is to be small. */
export function documentOf(report: EvalReport): object {
  const { items: _items, ...document } = jsonResult(report);
  return document;
}
