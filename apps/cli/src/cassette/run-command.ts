import { Option, type Command } from 'commander';
import { CASSETTE_MODES, CASSETTE_TIMINGS } from '../../../gateway/src/cassette/cassette.settings.js';
import { readCassette } from '../../../gateway/src/cassette/cassette-file.js';
import { printFailure } from '../command-settings.js';
import {
  cassetteFile,
  cassetteName,
  runWithCassette,
  type CassetteRun,
  type CassetteRunEnd,
} from './run-with-cassette.js';

/** A call missed, though the command may have ended well; a recording was not used, with `--fail-on-unused`. */
export const MISSED = 20;
export const UNUSED = 21;

interface RunOptions extends CassetteRun {
  failOnUnused?: boolean;
}

/** Adds `spandrel run` (docs/cassettes.md). */
export function addRun({ program }: { program: Command }, description: string): void {
  program
    .enablePositionalOptions()
    .command('run')
    .description(description)
    .argument('<command...>', 'the command and its arguments, behind --')
    .requiredOption('--cassette <path>', 'the cassette: tests/chat is tests/chat.cassette.yaml')
    .addOption(
      new Option('--mode <mode>', 'replay: no call leaves; record: make it new; hybrid: record what is missing')
        .choices(CASSETTE_MODES)
        .env('SPANDREL_CASSETTE_MODE')
        .default('replay'),
    )
    .addOption(
      new Option('--timing <timing>', 'replay streams at once, or with their pauses')
        .choices(CASSETTE_TIMINGS)
        .default('none'),
    )
    .option('--fail-on-unused', `end with ${UNUSED} when a recording was never used`)
    .passThroughOptions()
    .usage('--cassette <path> [options] -- <command...>')
    .action(async (command: string[], options: RunOptions) => {
      try {
        const ended = await runWithCassette(options, command, process.env);
        process.stderr.write(
          summaryOf(ended)
            .map((line) => `spandrel: ${line}\n`)
            .join(''),
        );
        process.exitCode = exitCodeOf(ended, options);
      } catch (error) {
        printFailure(error);
      }
    });
}

function exitCodeOf({ code, reports, isWritten }: CassetteRunEnd, { failOnUnused, ...run }: RunOptions): number {
  if (hasMisses(reports)) return MISSED;
  if (code !== 0) return code;
  if (!isWritten) return 1;
  return failOnUnused && (reports.some(({ unused }) => unused.length > 0) || isUntouched(run, reports)) ? UNUSED : 0;
}

/** Whether no call opened the cassette, which has recordings: no report says so. */
function isUntouched({ cassette, mode }: CassetteRun, reports: CassetteRunEnd['reports']): boolean {
  const file = cassetteFile(cassette);
  const isOpened = reports.some(({ name }) => name === cassetteName(file));
  return mode !== 'record' && !isOpened && (readCassette(file)?.entries.length ?? 0) > 0;
}

/** @returns what was asked of the cassettes, in lines: each miss with its reason. */
export function summaryOf({ reports, isWritten }: Pick<CassetteRunEnd, 'reports' | 'isWritten'>): string[] {
  if (reports.length === 0)
    return ['no call reached the gateway: does the client take its base URL from the environment?'];
  return reports.flatMap(({ name, hits, misses, reasons, recorded, unused }) => [
    ...reasons,
    ...(misses > reasons.length ? [`and ${misses - reasons.length} more misses`] : []),
    `cassette ${name}: ${hits} replayed, ${misses} missed, ${recorded} recorded, ${unused.length} never used` +
      (recorded > 0 && !isWritten ? '; what was recorded is not in place' : ''),
  ]);
}

/** Whether a call missed. */
export const hasMisses = (reports: CassetteRunEnd['reports']): boolean => reports.some(({ misses }) => misses > 0);
