import { RECORDED, spanFiltersSchema } from '@spandrel/contract';
import { describeLeftOut, formatCounted } from '@spandrel/contract/browser';
import type { Api } from '@spandrel/sdk';
import { nameRun, ciMetadata } from '@spandrel/sdk/eval';
import { ulid } from 'ulid';
import { clientCommand, type ClientCall, type ClientProgram } from '../../client/client-command.js';
import type { ExitCode } from '../../client/exit-codes.js';
import { addParameterFlags, collected, readParameters } from '../../client/parameter-flags.js';
import { findConnection } from '../../client/server.js';
import { CODES } from '../eval-command.js';
import {
  addJudgingOptions,
  gatesAgainst,
  readJudging,
  readNumber,
  readOption,
  type JudgingOptions,
} from '../options/judging-options.js';
import { readScorer, readText } from '../options/run-options.js';
import { addReportOption, prepareReports, readReports, type ReportOptions } from '../reports/reports.js';
import { cancel, finishRun, watched } from './run-eval.js';

/** The flag `--model` is that of the change. */
const { model: recordedModel, ...others } = spanFiltersSchema.shape;
const FILTERS = spanFiltersSchema.pick({}).extend({ ...others, recorded_model: recordedModel });

type ReplayOptions = JudgingOptions &
  ReportOptions & {
    connection: string;
    model?: string;
    name?: string;
    scorer?: string[];
    rubric?: string;
    judgeConnection?: string;
    judgeModel?: string;
    systemPromptFile?: string;
    sample?: string;
    seed?: string;
    max?: string;
    maxCost?: string;
  };

/** `spandrel replay`: recorded calls made again with something else, and judged against what was recorded. */
export function addReplay({ program, ...client }: ClientProgram, description: string): void {
  const command = program
    .command('replay')
    .description(description)
    .requiredOption('--connection <connection>', 'the provider connection that is asked: its name or id')
    .option('--model <model>', "the connection's default model when left out")
    .option('--system-prompt-file <file>', 'takes the place of the recorded system prompts')
    .option('--scorer <scorer>', 'its name, or its members as `eval run` takes them; may come often', collected)
    .option('--judge-connection <connection>', 'for scorers that ask a model: its name or id')
    .option('--judge-model <model>', 'the model that they ask')
    .option('--name <name>', 'of the replay')
    .option('--sample <number>', 'so many of the spans, chosen by chance')
    .option('--seed <number>', 'of the sample: the same seed chooses the same; 0 when left out')
    .option('--max <number>', 'at most so many spans, the newest ones')
    .option('--max-cost <usd>', 'dollars that the run may cost, its judges too');
  addParameterFlags(command, FILTERS);
  addReportOption(addJudgingOptions(command)).addHelpText('after', CODES);
  clientCommand({ program, ...client }, command, replay);
}

async function replay(call: ClientCall<ReplayOptions>): Promise<ExitCode> {
  const { api, out, io, options } = call;
  const judging = readJudging({ ...options, baseline: RECORDED });
  const reports = readReports(options);
  prepareReports(reports);
  const { recorded_model: recorded, ...filters } = readParameters(FILTERS, options);
  const connection = await findConnection(api, options.connection);
  const judge = {
    connection_id: options.judgeConnection && (await findConnection(api, options.judgeConnection)).id,
    model: options.judgeModel,
  };
  const { systemPromptFile: promptFile } = options;
  const prompt = promptFile === undefined ? undefined : readOption('--system-prompt-file', promptFile, readText);
  const metadata = ciMetadata(io.env);
  const model = options.model ?? connection.default_model;
  const begun = await api.startReplay({
    body: {
      id: ulid(),
      name: options.name ?? ['Replay', ...(model === null ? [] : [model]), nameRun(metadata)].join(', '),
      source: {
        filters: { ...filters, ...(recorded !== undefined && { model: recorded }) } as never,
        sample: readNumber('--sample', options.sample),
        seed: readNumber('--seed', options.seed),
        max: readNumber('--max', options.max),
      },
      change: {
        connection_id: connection.id,
        model: options.model,
        ...(prompt !== undefined && { system_prompt: { replace: prompt } }),
      },
      scorers: await readScorers(api, options.scorer ?? ['Preference']),
      ...((judge.connection_id ?? judge.model) !== undefined && { judge }),
      max_cost_usd: readNumber('--max-cost', options.maxCost),
      gates: gatesAgainst(judging, RECORDED),
      metadata,
    },
  });
  const { replayed, taken, left_out: leftOut, baseline_run_id: baselineRunId } = begun;
  out.note(`${replayed} of ${formatCounted(taken, 'call')} replayed${describeLeftOut(leftOut)}`);
  const by = { ...judging, baselineRunId };
  try {
    await watched(call, { id: baselineRunId, name: `Recorded: ${begun.name}` });
    let run = await watched(call, { id: begun.run_id, name: begun.name });
    const gates = gatesAgainst(judging, baselineRunId);
    // Once all of what was recorded has its scores.
    if (gates.length > 0) run = await api.setEvalGates({ path: { id: run.id }, body: { gates } });
    return await finishRun(call, run, by, reports);
  } catch (error) {
    if (io.signal.aborted) await cancel(call, begun.run_id);
    throw error;
  }
}

/** Scorers by their names in any case, or by their members. */
async function readScorers(api: Api, texts: readonly string[]) {
  const { scorers } = await api.getCapabilities();
  const known = (scorers ?? []) as { name: string }[];
  return texts.map((text) => {
    if (text.includes('=')) return readOption('--scorer', text, (each) => readScorer(each, readText));
    return { scoring: known.find(({ name }) => name.toLowerCase() === text.toLowerCase())?.name ?? text };
  });
}
