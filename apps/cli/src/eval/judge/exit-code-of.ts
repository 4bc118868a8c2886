import { ExitCode } from '../../client/exit-codes.js';
import type { Verdict } from './verdict-of-run.js';

const CODES: Readonly<Record<Verdict, ExitCode>> = {
  passed: ExitCode.done,
  failed: ExitCode.unforeseen,
  gate: ExitCode.gate,
  regression: ExitCode.regression,
  stopped: ExitCode.stopped,
  unfinished: ExitCode.done,
};

/** The exit code by what became of a run; a command that does not wait has nothing to complain about. */
export const exitCodeOf = (verdict: Verdict): ExitCode => CODES[verdict];

/** What is certain comes first: no better weather makes up for a gate that does not hold. */
const ORDER: readonly ExitCode[] = [
  ExitCode.gate,
  ExitCode.regression,
  ExitCode.usage,
  ExitCode.refused,
  ExitCode.unforeseen,
  ExitCode.stopped,
];

/** The exit code of a command that waited for several. */
export const exitCodeOfAll = (codes: readonly ExitCode[]): ExitCode =>
  ORDER.find((code) => codes.includes(code)) ?? ExitCode.done;
