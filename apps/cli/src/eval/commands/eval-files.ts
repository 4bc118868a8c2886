import { globSync, statSync } from 'node:fs';
import { relative, resolve, join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { formatScore } from '@spandrel/contract/browser';
import { PACKAGE } from '@spandrel/kernel/launch';
import type { EvalProgress, EvalResult, EvaluateOptions } from '@spandrel/sdk/eval';
import type { ClientCall } from '../../client/client-command.js';
import { UsageFault, ExitCode, fail, CommandFailure } from '../../client/exit-codes.js';
import type { Column } from '../../client/output/table.js';
import { createClient, findRun, readServer } from '../../client/server.js';
import { toExitCode, mergeExitCodes, VERDICTS, type JudgedBy } from '../judge-run.js';
import { progressOn } from '../watch-run.js';
import { GATES_ALPHA, readNumber, readOption, type DivisionOptions } from '../options/judging-options.js';
import { reportLines } from '../report-lines.js';
import { makeReport, scoreOf, type EvalReport, type EvalFault } from '../reports/report-items.js';
import {
  tellGitHub,
  warnOfMissingBaseline,
  readReports,
  jsonFault,
  toDocument,
  prepareReports,
  writeReports,
  type ReportOptions,
} from '../reports/reports.js';

/** Members that take the place of those of the file. */
export type EvalOrder = Pick<
  EvaluateOptions,
  'repeats' | 'concurrency' | 'resume' | 'requireBaseline' | 'allowDifferentScoring'
>;

export interface EvalEnd extends Pick<EvalResult, 'skippedGates' | 'missingBaseline' | 'wasOver'> {
  runId: string;
  datasetId: string;
  by: Pick<JudgedBy, 'baselineRunId' | 'groupBy' | 'clusterBy' | 'requireBaseline' | 'allowDifferentScoring'>;
  baseline: string | undefined;
}

/** What the process of a file sends; the last of them says what became of it. */
export interface EvalReply {
  loaded?: { name: string | undefined };
  started?: string;
  progress?: EvalProgress;
  ended?: EvalEnd;
  fault?: { message: string; exitCode: ExitCode };
}

const PROGRAM = join(PACKAGE.root, 'dist/apps/cli/src/eval/files/eval-file.process.js');

/** Longest that a file may take to load, and to end once it is to. */
const LOAD_MS = 60_000;
const END_MS = 12_000;

interface EvalCall {
  file: string;
  /** Left out: the file is loaded, and not run. */
  order?: EvalOrder;
  env: NodeJS.ProcessEnv;
  /** Interrupts it: its run is cancelled. */
  signal: AbortSignal;
  onReply?(reply: EvalReply): void;
}

/**
 * Loads a file of the user's, and runs its eval, in a process of its own: the only place where that code runs. What it prints
 * goes to standard error.
 * @returns all that was replied.
 * @throws CommandFailure with the exit code for what went wrong, also for a process that ends before it said what became of it.
 */
async function callEvalProcess({ file, order, env, signal, onReply }: EvalCall): Promise<EvalReply> {
  const words = [PROGRAM, file, ...(order ? [JSON.stringify(order)] : [])];
  const child = spawn(process.execPath, words, { env, stdio: ['inherit', 2, 2, 'ipc'] });
  // A child that cannot be started has no end: what waits for it below hears of the error.
  child.on('error', () => {});
  const endAfter = (ms: number): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), ms);
  let limit = endAfter(LOAD_MS);
  const replied: EvalReply = {};
  const stop = (): void => {
    child.kill(replied.loaded ? 'SIGTERM' : 'SIGKILL');
    limit = endAfter(END_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  child.on('message', (reply: EvalReply) => {
    clearTimeout(limit);
    Object.assign(replied, reply);
    if (reply.ended ?? reply.fault) limit = endAfter(END_MS);
    onReply?.(reply);
  });
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string];
    const { loaded, started, ended, fault } = replied;
    if (fault) throw new CommandFailure(fault.message, fault.exitCode);
    if (ended ?? (order === undefined && loaded)) return replied;
    const how = `its process ended (${code === null ? killedBy : `exit code ${code}`})`;
    if (!loaded) throw new CommandFailure(`${how} before it was loaded`);
    const kept = started === undefined ? '' : `; --resume ${started} goes on with its run`;
    throw new CommandFailure(`${how} before the eval had its verdict${kept}`);
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', stop);
  }
}

interface EvalFile {
  file: string;
  /** Name of the eval; the file where it has none. */
  name: string;
}

/** What Node runs as it is. */
const LOADABLE = /\.[cm]?[jt]s$/;

function findFiles(patterns: readonly string[]): string[] {
  const files = new Set<string>();
  for (const pattern of patterns) {
    // A name may have characters that a pattern would read otherwise: `[id].eval.ts`.
    const found = isFile(pattern) ? [pattern] : globSync(pattern).filter(isFile).sort();
    if (found.length === 0) throw new UsageFault(`${pattern}: there is no such file`);
    for (const each of found) {
      if (!LOADABLE.test(each)) throw new UsageFault(`${each}: is neither TypeScript nor JavaScript (.ts, .js, .mjs)`);
      files.add(relative('.', resolve(each)));
    }
  }
  return [...files];
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

interface EvalFilesOptions extends ReportOptions, DivisionOptions {
  grep?: string;
  repeats?: string;
  concurrency?: string;
  resume?: string;
  requireBaseline?: boolean;
  allowDifferentScoring?: boolean;
}

type Ended = { file: string; exitCode: ExitCode; report: EvalReport } | EvalFault;

/** `spandrel eval file`: runs evals of the user's own code, one after another, each file in a process of its own. */
export async function evalFiles(call: ClientCall<EvalFilesOptions>, patterns: string[]): Promise<ExitCode> {
  const { api, out, io, options } = call;
  const reports = readReports(options);
  const order: EvalOrder = {
    repeats: readNumber('--repeats', options.repeats),
    concurrency: readNumber('--concurrency', options.concurrency),
    requireBaseline: options.requireBaseline,
    allowDifferentScoring: options.allowDifferentScoring,
  };
  const { url, key } = readServer(options, io.env);
  // What the evals' own code records goes where their runs go.
  const env = { ...process.env, ...io.env, SPANDREL_API_URL: url, ...(key !== undefined && { SPANDREL_API_KEY: key }) };
  const ended: Ended[] = [];
  const loaded: EvalFile[] = [];
  const found = findFiles(patterns);
  // All of them before any is run, so that a slip in the last one costs nothing. One alone is loaded when it is run.
  const isOne = found.length === 1 && options.grep === undefined;
  for (const file of found) {
    const one = isOne ? { file, name: file } : await loadFile(file, env, io.signal);
    if ('fault' in one) ended.push(one);
    else loaded.push(one);
  }
  for (const { file, fault } of ended as EvalFault[]) out.note(`${file}: ${fault}`);
  const files = matching(loaded, options.grep);
  if (files.length + ended.length === 0) throw new UsageFault(`--grep: no eval has a name with ${options.grep} in it`);
  if (options.resume !== undefined && files.length > 1) {
    throw new UsageFault(`--resume: a run is of one eval, and these are ${files.length}`);
  }
  prepareReports(reports);
  const resume = options.resume === undefined ? undefined : (await findRun(api, options.resume)).id;
  for (const file of files) {
    const one = await runFile(call, file, env, { ...order, resume });
    ended.push(one);
    if ('fault' in one) out.note(one.fault.startsWith(one.file) ? one.fault : `${one.file}: ${one.fault}`);
    else if (!out.json && !io.signal.aborted) await out.lines([...reportLines(one.report, out), '']);
    // The others would not reach the server either.
    if (io.signal.aborted || one.exitCode === ExitCode.unreachable) break;
  }
  const made = ended.flatMap((one) => ('report' in one ? [one.report] : []));
  const faults = ended.filter((one) => 'fault' in one);
  await writeReports(createClient(options, io, null), reports, made, true, faults);
  tellGitHub(made, io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text), faults);
  io.signal.throwIfAborted();
  if (out.json) await out.document({ evals: ended.map(toEndedDocument) });
  else if (ended.length > 1) await out.lines(out.table(SUMMARY).lines(ended));
  return mergeExitCodes(ended.map(({ exitCode }) => exitCode));
}

/** @throws UsageFault for a file that holds no eval; one whose process ends is a fault of its own, and the others run. */
async function loadFile(file: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<EvalFile | EvalFault> {
  try {
    const { loaded } = await callEvalProcess({ file, env, signal });
    return { file, name: loaded?.name ?? file };
  } catch (error) {
    const { exitCode, lines } = fail(error);
    if (signal.aborted || exitCode === ExitCode.usage) throw error;
    return { file, fault: lines.join('; '), exitCode };
  }
}

/** Evals whose name, or else file, a pattern finds something in. @throws UsageFault for one that is none. */
function matching(files: EvalFile[], grep: string | undefined): EvalFile[] {
  if (grep === undefined) return files;
  const pattern = readOption('--grep', grep, (text) => new RegExp(text, 'u'));
  return files.filter(({ name }) => pattern.test(name));
}

async function runFile(
  { out, io, options }: ClientCall<EvalFilesOptions>,
  { file }: EvalFile,
  env: NodeJS.ProcessEnv,
  order: EvalOrder,
): Promise<Ended> {
  let progress: ReturnType<typeof progressOn> | undefined;
  let runId: string | undefined;
  const onReply = ({ loaded, started, progress: now }: EvalReply): void => {
    if (loaded) progress = progressOn(io, loaded.name ?? file);
    if (started !== undefined) out.note(`${file}: run ${(runId = started)}`);
    if (now) progress?.show(now);
  };
  // Reports are written after an interrupt, too.
  const api = createClient(options, io, null);
  const report = async (id: string, by: Partial<JudgedBy> = {}): Promise<Ended> => {
    const run = await api.getEval({ path: { id }, query: { items: 'none' } });
    const { url } = readServer(options, io.env);
    // What the command asks for takes the place of what the file says.
    const { groupBy = by.groupBy, clusterBy = by.clusterBy } = options;
    const made = await makeReport(api, run, { alpha: GATES_ALPHA, ...by, groupBy, clusterBy }, url);
    return { file, report: { ...made, file }, exitCode: toExitCode(made.verdict) };
  };
  try {
    const { ended } = await callEvalProcess({ file, order, env, signal: io.signal, onReply });
    const { runId: id, by, skippedGates, missingBaseline: why, wasOver, baseline, datasetId } = ended!;
    if (wasOver) out.note(`run ${id} was over before; nothing was tried`);
    if (why === undefined) return await report(id, by);
    const { name } = await api.getDataset({ path: { id: datasetId } });
    const lack = { baseline: baseline!, why, hasGates: skippedGates.length > 0 };
    return await report(id, { ...by, skipped: warnOfMissingBaseline(lack, name, io) });
  } catch (error) {
    const { exitCode, lines } = fail(error);
    const fault = { file, fault: lines.join('; '), exitCode };
    if (!io.signal.aborted || runId === undefined) return fault;
    // The process has cancelled it, unless the user's code ended it first.
    await api.cancelEval({ path: { id: runId } }).catch(() => undefined);
    // A run without any result was deleted.
    return report(runId).catch(() => fault);
  } finally {
    progress?.end();
  }
}

const toEndedDocument = (ended: Ended): object => ('report' in ended ? toDocument(ended.report) : jsonFault(ended));

const SUMMARY: readonly Column<Ended>[] = [
  { title: 'eval', text: ({ file }) => file, shrinks: true },
  {
    title: 'score',
    text: (ended) => ('report' in ended ? formatScore(scoreOf(ended.report).mean) : ''),
    align: 'right',
  },
  {
    title: 'came to',
    text: (ended) => ('report' in ended ? VERDICTS[ended.report.verdict].title : ended.fault),
    style: (ended) => ('report' in ended ? VERDICTS[ended.report.verdict].style : 'red'),
    shrinks: true,
  },
];
