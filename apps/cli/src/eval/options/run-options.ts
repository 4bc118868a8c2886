import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageFault } from '../../client/exit-codes.js';
import { readMetadata } from './metadata-option.js';
import { collected, readNumber, readOption } from './read-option.js';
import { readScorer, type ScorerBody } from './scorer-option.js';

/** What commander gives of the options that say what a run is. */
export interface RunOptions {
  name?: string;
  dataset: string;
  scoring?: string;
  scorer?: string[];
  connection: string;
  model?: string;
  systemPrompt?: string;
  systemPromptFile?: string;
  temperature?: string;
  maxTokens?: string;
  trace?: boolean;
  repeats?: string;
  passScore?: string;
  maxCost?: string;
  metadata?: string[];
}

/** What is to be run; datasets and connections by id or name. */
export interface RunPlan {
  name: string | undefined;
  dataset: string;
  connection: string;
  config: {
    model: string | null;
    system_prompt: string | null;
    temperature: number | null;
    max_tokens: number | null;
    trace: boolean | null;
  };
  /** One of both. */
  scoring: string | undefined;
  scorers: ScorerBody[] | undefined;
  repeats: number | undefined;
  passScore: number | undefined;
  maxCostUsd: number | undefined;
  metadata: Record<string, string>;
}

export const addRunOptions = (command: Command): Command =>
  command
    .requiredOption('--dataset <dataset>', 'its name or id')
    .requiredOption('--connection <connection>', 'the provider connection that calls the model: its name or id')
    .option('--scoring <name>', 'ExactMatch, Contains, LlmJudge, None or a plugin; or --scorer')
    .option(
      '--scorer <members>',
      "one of several, such as 'name=tone,scoring=LlmJudge,rubric=@tone.txt,weight=2'; may come often",
      collected,
    )
    .option('--model <model>', "the connection's default model when left out")
    .option('--name <name>', 'of the run; dataset and model when left out')
    .option('--system-prompt <text>', 'what is said to the model before each datapoint')
    .option('--system-prompt-file <file>', 'the same, from a file')
    .option('--temperature <number>', "0 to 2; the provider's when left out")
    .option('--max-tokens <number>', 'of an answer')
    .option('--trace', 'record the calls of each datapoint as a trace')
    .option('--repeats <number>', 'how often each datapoint is tried; once when left out')
    .option('--pass-score <number>', 'a sample passes at this score or above; 1 when left out')
    .option('--max-cost <usd>', 'dollars that the run may cost, its judges too')
    .option('--metadata <key=value>', 'kept with the run, such as commit=3f2c1ab; may come often', collected);

/** @throws UsageFault for what cannot be started, before anything is asked of the server. */
export function readRunPlan(options: RunOptions): RunPlan {
  const { scoring, scorer } = options;
  if ((scoring === undefined) === (scorer === undefined)) {
    throw new UsageFault('give either --scoring, or --scorer for each of several');
  }
  if (options.systemPrompt !== undefined && options.systemPromptFile !== undefined) {
    throw new UsageFault('give either --system-prompt or --system-prompt-file');
  }
  return {
    name: options.name,
    dataset: options.dataset,
    connection: options.connection,
    config: {
      model: options.model ?? null,
      system_prompt:
        options.systemPromptFile === undefined
          ? (options.systemPrompt ?? null)
          : readOption('--system-prompt-file', options.systemPromptFile, readText),
      temperature: readNumber('--temperature', options.temperature) ?? null,
      max_tokens: readNumber('--max-tokens', options.maxTokens) ?? null,
      trace: options.trace ?? null,
    },
    scoring,
    scorers: scorer?.map((text) => readOption('--scorer', text, (each) => readScorer(each, readText))),
    repeats: readNumber('--repeats', options.repeats),
    passScore: readNumber('--pass-score', options.passScore),
    maxCostUsd: readNumber('--max-cost', options.maxCost),
    metadata: readOption('--metadata', '', () => readMetadata(options.metadata ?? [])),
  };
}

/** A line break at the end of a file is its editor's. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the file ${path} cannot be read (${code ?? 'unknown'})`, { cause: error });
  }
}
