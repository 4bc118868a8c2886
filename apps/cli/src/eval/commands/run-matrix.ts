import type { EvalRunSummary } from '@spandrel/contract';
import { formatInterval, formatScore } from '@spandrel/contract/browser';
import type { Api } from '@spandrel/sdk';
import type { ClientCall } from '../../client/client-command.js';
import { ExitCode } from '../../client/exit-codes.js';
import type { Column } from '../../client/output/table.js';
import { oneLine } from '../../client/output/text.js';
import { readServer } from '../../client/server.js';
import { mergeExitCodes, toExitCode, VERDICTS, type JudgedBy } from '../judge-run.js';
import { makeReport, type EvalReport } from '../reports/eval-report.js';
import { tellGitHub, toDocument, writeReports, writeTables, type ReportOption } from '../reports/reports.js';
import { formatDollars, formatLatency } from '../words.js';

/** What is done with runs that were started together. */
interface Together {
  datasetId: string;
  body: Parameters<Api['startEvalMatrix']>[0]['body'];
  reports: readonly ReportOption[];
  isDetached: boolean;
  /** What a run is judged by, once it is there. */
  judgedBy(run: EvalRunSummary): Promise<JudgedBy>;
  /** Waits for the end of a run. */
  watch(run: EvalRunSummary): Promise<EvalRunSummary>;
  /** Cancels a run after an interrupt. */
  cancel(runId: string): Promise<void>;
}

/** Starts a run for each model with each prompt, waits for all of them and shows them as a table. @returns the exit code of the command. */
export async function runMatrix(call: ClientCall<object>, together: Together): Promise<ExitCode> {
  const { api, out, io, options } = call;
  const { datasetId, body, reports } = together;
  const { group_id: groupId, runs } = await api.startEvalMatrix({ path: { id: datasetId }, body });
  const judged = new Map<EvalRunSummary, JudgedBy>();
  for (const run of runs) judged.set(run, await together.judgedBy(run));
  if (together.isDetached) {
    if (out.json) await out.document({ group_id: groupId, runs });
    else await out.lines(runs.map(({ id }) => id));
    return ExitCode.done;
  }
  const made: EvalReport[] = [];
  try {
    for (const [run, by] of judged) {
      const ended = await together.watch(run);
      made.push(await makeReport(api, ended, by, readServer(options, io.env).url));
    }
  } catch (error) {
    if (io.signal.aborted) await Promise.all(runs.map(({ id }) => together.cancel(id)));
    throw error;
  }
  const skipped = new Set(made.flatMap((report) => (report.skipped === undefined ? [] : `${report.skipped}.`)));
  writeReports(reports, made, true);
  await writeTables(api, reports, made);
  if (out.json) await out.document({ group_id: groupId, evals: made.map(toDocument) });
  else await out.lines([...skipped, ...out.table(COLUMNS).lines(made), '', `Group ${groupId}`]);
  tellGitHub(made, io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text));
  return mergeExitCodes(made.map(({ verdict }) => toExitCode(verdict)));
}

const COLUMNS: readonly Column<EvalReport>[] = [
  { title: 'run', text: ({ run }) => run.id },
  { title: 'name', text: ({ run }) => oneLine(run.name), shrinks: true },
  { title: 'score', text: ({ statistics }) => formatScore(statistics.score.mean), align: 'right' },
  { title: '95% interval', text: ({ statistics }) => formatInterval(statistics.score.ci), leaveOut: 1 },
  { title: 'pass rate', text: ({ statistics }) => formatScore(statistics.score.pass_rate.mean), align: 'right' },
  { title: 'cost', text: ({ run }) => formatDollars(run.total_cost), align: 'right' },
  { title: 'latency p50', text: ({ statistics }) => formatLatency(statistics.latency_ms.p50), align: 'right' },
  {
    title: 'came to',
    text: ({ verdict }) => VERDICTS[verdict].title,
    style: ({ verdict }) => VERDICTS[verdict].style,
  },
];
