import { Command } from 'commander';
import { clientCommand, type ClientProgram } from '../client/client-command.js';
import { cancelEval, checkEval, retryEval, runEval, showEval } from './commands/run-eval.js';
import { compareEvals, listEvals } from './commands/compare-evals.js';
import { evalFiles } from './commands/eval-files.js';
import { collected } from '../client/parameter-flags.js';
import { addDivisionOptions, addJudgingOptions, addStatisticsOptions } from './options/judging-options.js';
import { addReportOption } from './reports/reports.js';
import { addRunOptions } from './options/run-options.js';

/** What commands that judge a run end with. */
export const CODES = `
Exit codes: 0 done, gates hold; 1 unforeseen, or the run failed; 2 called wrongly, nothing was sent; 3 no server answered;
4 the server refused; 10 a gate does not hold; 11 worse than the baseline; 12 stopped by the cost cap or cancelled;
130 interrupted.`;

const RUN_HELP = `${CODES}

An interrupt cancels the run. With --detach the command prints the id of the run and ends; spandrel eval check waits for
its end and judges it.`;

/** Puts `spandrel eval …` below the program: runs of the server and of one's own code, judged for CI. */
export function addEval(program: ClientProgram, description: string): void {
  const evals = program.program.command('eval').description(description);
  const leaf = (words: string, description: string): Command => evals.command(words).description(description);

  const run = addReportOption(
    addJudgingOptions(addRunOptions(leaf('run', 'start a run on the server, wait for its end and judge it'))),
  );
  run.option('--detach', 'do not wait for its end').addHelpText('after', RUN_HELP);
  clientCommand(program, run, runEval);

  const file = addReportOption(
    addDivisionOptions(
      leaf('file <files...>', 'run evals of your own code: files whose default export is made by defineEval'),
    ),
  );
  file
    .option('--grep <pattern>', 'those alone whose name, or else file, this regular expression finds something in')
    .option('--repeats <number>', 'how often each datapoint is tried, whatever the file says')
    .option('--concurrency <number>', 'how many are tried at once, whatever the file says')
    .option('--require-baseline', 'ends with 10 when there is no run to compare with, whatever the file says')
    .option('--allow-different-scoring', 'compare also with a run that was scored differently')
    .option('--resume <run>', 'go on with a run that an earlier process did not finish')
    .addHelpText('after', CODES);
  clientCommand(program, file, evalFiles);

  const check = addReportOption(
    addJudgingOptions(leaf('check <run>', 'wait for the end of a run and judge it by gates')),
  );
  check.addHelpText('after', `\nGates that are given are added to those of the run, and stay with it.\n${CODES}`);
  clientCommand(program, check, checkEval);

  const retry = addReportOption(
    addJudgingOptions(leaf('retry <run>', 'have a run that is over go on with some of its samples, and judge it')),
  );
  retry
    .option('--what <samples>', 'failed, pending (never called) or unscored', 'failed')
    .option('--max-cost <usd>', 'another cost cap, for a run that has one')
    .option('--detach', 'do not wait for its end')
    .addHelpText('after', CODES);
  clientCommand(program, retry, retryEval);

  const show = addReportOption(
    addStatisticsOptions(leaf('show <run>', 'show a run: numbers, gates, the worst datapoints')),
  ).option('--baseline <run>', 'a run of the same dataset to compare with; that of its gates when left out');
  clientCommand(program, show, showEval);

  const list = leaf('list', 'list runs, newest first')
    .option('--dataset <dataset>', 'runs of this dataset: its name or id')
    .option('--status <status>', 'pending, running, completed, failed or cancelled')
    .option('--execution <execution>', 'server or external')
    .option('--passed <true|false>', 'whether all gates hold')
    .option('--name <name>', 'exactly this name')
    .option('--metadata <key=value>', 'exactly this text under this key; may come often', collected)
    .option('--limit <number>', 'runs of a page')
    .option('--cursor <cursor>', 'of the page before');
  clientCommand(program, list, listEvals);

  const compare = addStatisticsOptions(
    leaf('compare <run> <baseline>', 'put a run beside another of its dataset: is it worse, and where'),
  ).option('--limit <number>', 'datapoints that are shown; 10 when left out');
  clientCommand(program, compare, compareEvals);

  clientCommand(program, leaf('cancel <run>', 'cancel a run; what it has is kept'), cancelEval);
}
