import { appendFileSync } from 'node:fs';
import type { CommandIo } from '../../client/command-io.js';
import { oneLine } from '../../client/output/clean-text.js';
import type { EvalFault, EvalReport } from './eval-report.js';
import { describeStop } from '../words/stop-words.js';
import { markdownReport } from './markdown.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Tells GitHub's runner of runs: the page of markdown behind what the step's summary has, and a line `::error` for each
 * gate that does not hold and each run that was stopped or failed. Elsewhere it does nothing.
 * @param env `GITHUB_STEP_SUMMARY` and `GITHUB_ACTIONS`.
 * @param write takes the lines.
 */
export function tellGitHub(
  reports: readonly EvalReport[],
  env: Variables,
  write: (text: string) => void,
  faults: readonly EvalFault[] = [],
): void {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: actions } = env;
  if (summary) appendFileSync(summary, `${markdownReport(reports, faults)}\n`);
  if (actions !== 'true') return;
  const ofFaults = faults.map(({ file, fault }) => `::error file=${property(file)}::${data(fault)}`);
  for (const line of [...reports.flatMap(errorLines), ...ofFaults]) write(`${line}\n`);
}

/**
 * Says that there is no run to compare with yet, as where the first run of a branch is still to come: gates that compare
 * are left out then, and nobody is to take that for a pass unseen.
 */
export function warnOfMissingBaseline(baseline: string, datasetName: string, io: CommandIo): void {
  const message = `the dataset "${oneLine(datasetName)}" has no completed run for the baseline ${oneLine(baseline)}: nothing is compared`;
  io.stderr.write(io.env['GITHUB_ACTIONS'] === 'true' ? `::warning::${data(message)}\n` : `${message}\n`);
}

/** Workflow commands for what does not hold. */
export function errorLines({ run, gates, file }: EvalReport): string[] {
  const stop = describeStop(run);
  const broken = gates.filter(({ passed }) => passed === false);
  const messages = [
    ...(stop === null ? [] : [stop]),
    ...broken.map(({ text, found }) => `${text} does not hold: found ${found}`),
  ];
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    `title=${property(`eval ${run.name}`)}`,
  ];
  return messages.map((message) => `::error ${properties.join(',')}::${data(message)}`);
}

/** Texts that GitHub's runner reads back: a line end would end the command, a percent sign would begin an escape. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
