import { globSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EvalRunSummary } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';
import { Spandrel, SpandrelError } from '@spandrel/sdk';
import {
  isEvalDefinition,
  DefinitionError,
  evaluate,
  type EvalDefinition,
  type EvaluateOptions,
} from '@spandrel/sdk/eval';
import type { ClientCall } from '../../client/client-command.js';
import { UsageFault, ExitCode, fail } from '../../client/exit-codes.js';
import type { Column } from '../../client/output/table.js';
import { readServer } from '../../client/server.js';
import { toExitCode, mergeExitCodes, VERDICTS } from '../judge-run.js';
import { GATES_ALPHA, readNumber, readOption } from '../options/judging-options.js';
import { reportLines } from '../report-lines.js';
import { makeReport, type EvalReport, type EvalFault } from '../reports/eval-report.js';
import {
  tellGitHub,
  warnOfMissingBaseline,
  readReports,
  jsonFault,
  prepareReports,
  writeReports,
  type ReportOptions,
} from '../reports/reports.js';
import { progressOn } from '../watch-run.js';
import { toDocument } from './run-eval.js';

interface EvalFile {
  /** Relative to where the command runs. */
  file: string;
  definition: EvalDefinition;
}

/** What Node runs as it is. */
const LOADABLE = /\.[cm]?[jt]s$/;

function findFiles(patterns: readonly string[]): string[] {
  const files = new Set<string>();
  for (const pattern of patterns) {
    // A name may have characters that a pattern would read otherwise: `[id].eval.ts`.
    const found = isFile(pattern) ? [pattern] : globSync(pattern).filter(isFile).sort();
    if (found.length === 0) throw new UsageFault(`${pattern}: there is no such file`);
    for (const each of found) files.add(relative('.', resolve(each)));
  }
  return [...files];
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function loadDefinition(file: string): Promise<EvalDefinition> {
  if (!LOADABLE.test(file)) throw new UsageFault(`${file}: is neither TypeScript nor JavaScript (.ts, .js, .mjs)`);
  const loaded: Promise<{ default?: unknown }> = import(pathToFileURL(resolve(file)).href);
  const { default: exported } = await loaded.catch((error: unknown) => {
    throw new UsageFault(`${file}: does not load\n${describePlace(error)}`);
  });
  if (isEvalDefinition(exported)) return exported;
  const lack = exported === undefined ? '; it has none' : '';
  throw new UsageFault(`${file}: its default export must be made by defineEval of @spandrel/sdk/eval${lack}`);
}

const FRAMES_MAX = 4;

/** What went wrong, and where: the stack as far as it is the user's. */
function describePlace(error: unknown): string {
  if (!(error instanceof Error) && (typeof error !== 'object' || error === null || !('stack' in error)))
    return String(error);
  const lines = String((error as Error).stack ?? (error as Error).message).split('\n');
  const isFrame = (line: string): boolean => /^\s+at /.test(line);
  const frames = lines.filter((line) => isFrame(line) && !line.includes('node:internal')).slice(0, FRAMES_MAX);
  return [...lines.filter((line) => line.trim() !== '' && !isFrame(line)), ...frames].join('\n');
}

export interface EvalFilesOptions extends ReportOptions {
  grep?: string;
  repeats?: string;
  concurrency?: string;
  resume?: string;
}

/** Traces that are not delivered by then are lost: each eval has waited for its own already. */
const SHUTDOWN_MS = 2_000;

type Ended = { file: string; exitCode: ExitCode; report: EvalReport } | EvalFault;

/** `spandrel eval file`: runs evals of the user's own code, one after another. */
export async function evalFiles(call: ClientCall<EvalFilesOptions>, patterns: string[]): Promise<ExitCode> {
  const { out, io, options } = call;
  const reports = readReports(options);
  const { resume } = options;
  const repeats = readNumber('--repeats', options.repeats);
  const concurrency = readNumber('--concurrency', options.concurrency);
  const overrides = { repeats, concurrency, resume };
  const { url, key } = readServer(options, io.env);
  // What the evals' own code records goes where their runs go.
  if (options.url !== undefined) process.env['SPANDREL_API_URL'] = url;
  if (options.key !== undefined) process.env['SPANDREL_API_KEY'] = key;
  // All of them before any is run, so that a slip in the last one costs nothing.
  const loaded: EvalFile[] = [];
  for (const file of findFiles(patterns)) loaded.push({ file, definition: await loadDefinition(file) });
  const files = matching(loaded, options.grep);
  if (resume !== undefined && files.length > 1) {
    throw new UsageFault(`--resume: a run is of one eval, and these are ${files.length}`);
  }
  prepareReports(reports);
  const spandrel = new Spandrel({ apiUrl: url, apiKey: key });
  const ended: Ended[] = [];
  try {
    for (const file of files) {
      const one = await runFile(call, file, spandrel, overrides);
      ended.push(one);
      if ('fault' in one) out.note(`${one.file}: ${one.fault}`);
      else if (!out.json) await out.lines([...reportLines(one.report, out), '']);
    }
  } finally {
    await spandrel.shutdown({ timeoutMs: SHUTDOWN_MS });
  }
  const made = ended.flatMap((one) => ('report' in one ? [one.report] : []));
  const faults = ended.filter((one) => 'fault' in one);
  writeReports(reports, made, true, faults);
  tellGitHub(made, io.env, (text) => void (out.json ? io.stderr : io.stdout).write(text), faults);
  if (out.json) await out.document({ evals: ended.map(toEndedDocument) });
  else if (ended.length > 1) await out.lines(out.table(SUMMARY).lines(ended));
  return mergeExitCodes(ended.map(({ exitCode }) => exitCode));
}

/** Evals whose name, or else file, a pattern finds something in. @throws UsageFault where nothing is left. */
function matching(files: EvalFile[], grep: string | undefined): EvalFile[] {
  if (grep === undefined) return files;
  const pattern = readOption('--grep', grep, (text) => new RegExp(text, 'u'));
  const found = files.filter(({ file, definition }) => pattern.test(definition.name ?? file));
  if (found.length === 0) throw new UsageFault(`--grep: no eval has a name with ${grep} in it`);
  return found;
}

async function runFile(
  { api, io, options }: ClientCall<EvalFilesOptions>,
  { file, definition }: EvalFile,
  spandrel: Spandrel,
  overrides: Pick<EvaluateOptions, 'repeats' | 'concurrency' | 'resume'>,
): Promise<Ended> {
  const progress = progressOn(io, definition.name ?? file);
  try {
    const result = await evaluate(definition, {
      ...{ ...overrides, spandrel, signal: io.signal, onProgress: (now) => progress.show(now) },
    });
    progress.end();
    const { url } = readServer(options, io.env);
    const groupBy = [definition.groupBy ?? []].flat();
    const by = { baselineRunId: result.baselineRunId, alpha: GATES_ALPHA, groupBy, clusterBy: definition.clusterBy };
    const report = await makeReport(api, result.run as EvalRunSummary, by, url);
    if (result.skippedGates.length > 0) warnOfMissingBaseline(String(definition.baseline), report.dataset.name, io);
    return { file, report: { ...report, file }, exitCode: toExitCode(report.verdict) };
  } catch (error) {
    io.signal.throwIfAborted();
    // The others would not reach it either.
    if (error instanceof SpandrelError && error.status === 0) throw error;
    const { exitCode, lines } = fail(error instanceof DefinitionError ? new UsageFault(error.message) : error);
    return { file, fault: lines.join('; '), exitCode };
  } finally {
    progress.end();
  }
}

const toEndedDocument = (ended: Ended): object => ('report' in ended ? toDocument(ended.report) : jsonFault(ended));

const SUMMARY: readonly Column<Ended>[] = [
  { title: 'eval', text: ({ file }) => file, shrinks: true },
  {
    title: 'score',
    text: (ended) => ('report' in ended ? formatScore(ended.report.statistics.score.mean) : ''),
    align: 'right',
  },
  {
    title: 'came to',
    text: (ended) => ('report' in ended ? VERDICTS[ended.report.verdict].title : ended.fault),
    style: ({ exitCode }) => (exitCode === ExitCode.done ? 'green' : 'red'),
    shrinks: true,
  },
];
