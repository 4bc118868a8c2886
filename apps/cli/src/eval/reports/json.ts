import type { EvalFault, EvalReport } from './eval-report.js';
import { exitCodeOf } from '../judge/exit-code-of.js';

/** A report as a program reads it: the resources as the API has them, what became of the run, and its exit code. */
export const jsonResult = ({ file, run, statistics, gates, verdict, items, url }: EvalReport) => ({
  ...(file !== undefined && { file }),
  verdict,
  exit_code: exitCodeOf(verdict),
  url,
  gates: gates.map(({ text, found, passed }) => ({ gate: text, found, passed })),
  run,
  statistics,
  items,
});

/** An eval that could not be run, as a program reads it. */
export const jsonFault = ({ file, fault, exitCode }: EvalFault) => ({ file, exit_code: exitCode, error: fault });
