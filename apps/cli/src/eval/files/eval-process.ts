import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PACKAGE } from '@spandrel/kernel/launch';
import type { EvalProgress, EvalResult, EvaluateOptions } from '@spandrel/sdk/eval';
import { CommandFailure, type ExitCode } from '../../client/exit-codes.js';
import type { JudgedBy } from '../judge-run.js';

/** Members that take the place of those of the file. */
export type EvalOrder = Pick<
  EvaluateOptions,
  'repeats' | 'concurrency' | 'resume' | 'requireBaseline' | 'allowDifferentScoring'
>;

/** An eval that came to its verdict. */
export interface EvalEnd extends Pick<EvalResult, 'skippedGates' | 'missingBaseline' | 'wasOver'> {
  runId: string;
  datasetId: string;
  by: Pick<JudgedBy, 'baselineRunId' | 'groupBy' | 'clusterBy' | 'requireBaseline' | 'allowDifferentScoring'>;
  /** What the file names as its baseline. */
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
export async function callEvalProcess({ file, order, env, signal, onReply }: EvalCall): Promise<EvalReply> {
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
