import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { resources } from '@spandrel/sdk';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { UsageFault } from '../../client/exit-codes.js';
import { collected } from '../../client/parameter-flags.js';
import { readNumber, readOption } from './judging-options.js';

/** Splits `name=tone,weight=2` into its pairs. A value in double quotes may have commas, and `\"` and `\\` in it. */
function readPairs(text: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  let rest = text;
  while (rest.trim() !== '') {
    const [, before, after] = /^([^=,]*)=(.*)$/s.exec(rest) ?? [];
    const name = before?.trim();
    if (!name) throw new Error(`"${rest.split(',', 1)[0]!.trim()}" is not NAME=VALUE`);
    if (pairs.some(([known]) => known === name)) throw new Error(`"${name}" comes twice`);
    const { value, behind } = after!.startsWith('"') ? quotedValue(after!, name) : plainValue(after!);
    pairs.push([name, value]);
    rest = behind;
  }
  return pairs;
}

interface Value {
  value: string;
  /** What comes after the comma behind it. */
  behind: string;
}

function plainValue(text: string): Value {
  const [value = '', ...behind] = text.split(',');
  return { value: value.trim(), behind: behind.join(',') };
}

function quotedValue(text: string, name: string): Value {
  const found = /^"((?:[^"\\]|\\.)*)"\s*(?:,|$)/s.exec(text);
  if (!found)
    throw new Error(`the quote that "${name}" begins with must be closed, and be followed by a comma or nothing`);
  return { value: found[1]!.replace(/\\(["\\])/g, '$1'), behind: text.slice(found[0].length) };
}

/** Reads what `--metadata` takes: `commit=3f2c1ab`. @throws Error for a text without `=` or key, a key that comes twice. */
export function readMetadata(texts: readonly string[]): Record<string, string> {
  const metadata = new Map<string, string>();
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined) throw new Error(`"${text}" is not KEY=VALUE`);
    if (metadata.has(key)) throw new Error(`"${key}" comes twice`);
    metadata.set(key, value!);
  }
  return Object.fromEntries(metadata);
}

const OF_METADATA = 'metadata.';

/** Reads what `--filter` takes: `metadata.split=test`, `source=manual`, `ids=01J…,01K…`. @throws Error for another text. */
function readConditions(texts: readonly string[]) {
  const { source, ids, ...others } = readMetadata(texts);
  const metadata = Object.entries(others).map(([key, value]) => {
    if (!key.startsWith(OF_METADATA)) throw new Error(`"${key}" is not metadata.KEY, source or ids`);
    return [key.slice(OF_METADATA.length), value];
  });
  return {
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) as Record<string, string> }),
    ...(source !== undefined && { source: source.split(',') }),
    ...(ids !== undefined && { ids: ids.split(',') }),
  };
}

/** A scorer of a run as the API takes it; `judge.connection_id` may still be the name of a connection. */
type ScorerBody = resources.StartEvalScorer;

const CONFIG = 'config.';
const MEMBERS = [
  ...['name', 'scoring', 'weight', 'pass_score', 'rubric', 'judge_model', 'judge_connection', 'judge_temperature'],
  'config',
];
/** A judge temperature that is left out of the calls, written as in JSON. */
const NO_TEMPERATURE = 'null';

/**
 * Reads a scorer as `--scorer` takes it: `name=tone,scoring=LlmJudge,rubric=@tone.txt,weight=2`.
 * @param readFile the text of a file: a value that begins with `@` names one (`@@` for a text that begins with `@`).
 * @throws Error that says what is wrong.
 */
export function readScorer(text: string, readFile: (path: string) => string): ScorerBody {
  const given = new Map<string, string>();
  const config: Record<string, unknown> = {};
  for (const [name, written] of readPairs(text)) {
    const value = valueOf(written, readFile);
    const member = name.replaceAll('-', '_');
    if (member.startsWith(CONFIG)) config[name.slice(CONFIG.length)] = jsonOrText(value);
    else if (MEMBERS.includes(member)) given.set(member, value);
    else throw new Error(`"${name}" is not known; there are ${MEMBERS.join(', ')} and config.KEY`);
  }
  const scoring = given.get('scoring');
  if (scoring === undefined || scoring === '') throw new Error('scoring=NAME is missing');
  const scoringConfig = { ...configOf(given.get('config')), ...config };
  const judge: NonNullable<ScorerBody['judge']> = {
    ...(given.has('judge_connection') && { connection_id: given.get('judge_connection')! }),
    ...(given.has('judge_model') && { model: given.get('judge_model')! }),
    ...(given.has('rubric') && { rubric: given.get('rubric')! }),
    ...(given.has('judge_temperature') && { temperature: temperatureOf(given.get('judge_temperature')!) }),
  };
  return {
    ...(given.has('name') && { name: given.get('name')! }),
    scoring,
    ...(Object.keys(scoringConfig).length > 0 && { scoring_config: scoringConfig }),
    ...(Object.keys(judge).length > 0 && { judge }),
    ...(given.has('weight') && { weight: numberOf('weight', given.get('weight')!) }),
    ...(given.has('pass_score') && { pass_score: numberOf('pass_score', given.get('pass_score')!) }),
  };
}

const valueOf = (written: string, readFile: (path: string) => string): string =>
  /^@(?!@)/.test(written) ? readFile(written.slice(1)) : written.replace(/^@@/, '@');

function configOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const parsed = jsonOrText(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Error('config must be a JSON object, such as config=@config.json');
  }
  return parsed as Record<string, unknown>;
}

/** `true`, `3` and `["a"]` are what they are in JSON; what is no JSON is a text. */
function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const temperatureOf = (text: string): number | null =>
  text === NO_TEMPERATURE ? null : numberOf('judge_temperature', text);

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`${name} must be a number, not "${text}"`);
  return number;
}

type PromptBody = resources.StartPrompt;

const PROMPT_MEMBERS = ['name', 'system_prompt', 'messages'];

/**
 * Reads a prompt as `--prompt-file` takes it (docs/evaluations.md#prompts): YAML with the members of a prompt, or with its messages
 * alone; any other file is a text. The prompt has the name of the file unless the file says another.
 * @param read the text of a file. @throws Error that says what is wrong.
 */
export function readPromptFile(path: string, read: (path: string) => string): PromptBody {
  const extension = extname(path);
  const name = basename(path, extension);
  const text = read(path);
  if (!/^\.(ya?ml|json)$/i.test(extension)) return { name, ...promptOfText(text) };
  const given = parseYaml(path, text);
  if (typeof given === 'string') return { name, ...promptOfText(given) };
  if (Array.isArray(given)) return { name, messages: given as NonNullable<PromptBody['messages']> };
  const unknown = Object.keys(Object(given)).find((member) => !PROMPT_MEMBERS.includes(member));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" of ${path} is not known; there are ${PROMPT_MEMBERS.join(', ')}`);
  const prompt = Object(given) as PromptBody;
  if (prompt.messages === undefined && prompt.system_prompt === undefined) {
    throw new Error(`${path} has neither messages nor system_prompt`);
  }
  // What else may be wrong the server says, with its path.
  return { name, ...prompt };
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw new Error(`${path} is not YAML: ${(error as Error).message}`, { cause: error });
  }
}

/** A text without variables is a system prompt; with the input it is what the user says; with other variables it stands before that. */
function promptOfText(text: string): Omit<PromptBody, 'name'> {
  if (!text.includes('{{')) return { system_prompt: text };
  if (/\{\{\s*(?:input|messages)\b/.test(text)) return { messages: [{ role: 'user', content: text }] };
  return {
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: '{{messages}}' },
    ],
  };
}

export interface RunOptions {
  name?: string;
  dataset: string;
  scoring?: string;
  scorer?: string[];
  connection: string;
  model?: string[];
  systemPrompt?: string;
  systemPromptFile?: string;
  promptFile?: string[];
  temperature?: string;
  maxTokens?: string;
  trace?: boolean;
  repeats?: string;
  passScore?: string;
  passMode?: string;
  maxCost?: string;
  metadata?: string[];
  allowUnscored?: boolean;
  filter?: string[];
  limit?: string;
  sample?: string;
  seed?: string;
  cache?: boolean;
  cacheDays?: string;
}

/** What is to be run; datasets and connections by id or name. */
export type RunPlan = ReturnType<typeof readRunPlan>;

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
    .option('--model <model>', "the connection's default model when left out; several make a run each", collected)
    .option('--name <name>', 'of the run; dataset and model when left out')
    .option('--system-prompt <text>', 'what is said to the model before each datapoint')
    .option('--system-prompt-file <file>', 'the same, from a file')
    .option(
      '--prompt-file <file>',
      'a prompt with variables such as {{input}}: a text or YAML; several make a run each',
      collected,
    )
    .option('--temperature <number>', "0 to 2; the provider's when left out")
    .option('--max-tokens <number>', 'of an answer')
    .option('--trace', 'record the calls of each datapoint as a trace')
    .option('--repeats <number>', 'how often each datapoint is tried; once when left out')
    .option('--pass-score <number>', 'of scorers without one of their own; 1 when left out, 0.5 of judges')
    .option(
      '--pass-mode <all|mean>',
      'all: every scorer reaches its pass score; mean: the score reaches that of the run',
    )
    .option('--max-cost <usd>', 'dollars that the run may cost, its judges too')
    .option('--metadata <key=value>', 'kept with the run, such as commit=3f2c1ab; may come often', collected)
    .option(
      '--filter <condition>',
      'datapoints with metadata.KEY=VALUE, source=NAME or ids=ID,…; may come often',
      collected,
    )
    .option('--limit <number>', 'at most so many datapoints, the oldest first')
    .option('--sample <number>', 'so many datapoints, chosen by chance')
    .option('--seed <number>', 'of the sample: the same seed chooses the same; 0 when left out')
    .option('--cache', 'take answers to the same calls over from earlier runs, at no cost')
    .option('--cache-days <number>', 'how old such a run may be; 30 when left out')
    .option('--allow-unscored', 'start it also where no datapoint has the expected value that a scorer needs');

/** @throws UsageFault for what cannot be started, before anything is asked of the server. */
export function readRunPlan(options: RunOptions) {
  const { scoring, scorer } = options;
  if ((scoring === undefined) === (scorer === undefined)) {
    throw new UsageFault('give either --scoring, or --scorer for each of several');
  }
  if (options.systemPrompt !== undefined && options.systemPromptFile !== undefined) {
    throw new UsageFault('give either --system-prompt or --system-prompt-file');
  }
  if (options.promptFile && (options.systemPrompt !== undefined || options.systemPromptFile !== undefined)) {
    throw new UsageFault('give either --prompt-file or a system prompt');
  }
  const prompts = (options.promptFile ?? []).map((path) =>
    readOption('--prompt-file', path, (each) => readPromptFile(each, readText)),
  );
  return {
    name: options.name,
    dataset: options.dataset,
    connection: options.connection,
    config: {
      model: options.model?.[0] ?? null,
      system_prompt:
        options.systemPromptFile === undefined
          ? (options.systemPrompt ?? prompts[0]?.system_prompt ?? null)
          : readOption('--system-prompt-file', options.systemPromptFile, readText),
      messages: prompts[0]?.messages ?? null,
      temperature: readNumber('--temperature', options.temperature) ?? null,
      max_tokens: readNumber('--max-tokens', options.maxTokens) ?? null,
      trace: options.trace ?? null,
    },
    models: options.model ?? [],
    prompts,
    scoring,
    scorers: scorer?.map((text) => readOption('--scorer', text, (each) => readScorer(each, readText))),
    repeats: readNumber('--repeats', options.repeats),
    passScore: readNumber('--pass-score', options.passScore),
    passMode: readOption('--pass-mode', options.passMode ?? 'all', readPassMode),
    allowUnscored: options.allowUnscored,
    filter: {
      ...readOption('--filter', '', () => readConditions(options.filter ?? [])),
      limit: readNumber('--limit', options.limit),
      sample: readNumber('--sample', options.sample),
      seed: readNumber('--seed', options.seed),
    },
    cache: options.cache === true || options.cacheDays !== undefined ? ('reuse' as const) : undefined,
    cacheDays: readNumber('--cache-days', options.cacheDays),
    maxCostUsd: readNumber('--max-cost', options.maxCost),
    metadata: readOption('--metadata', '', () => readMetadata(options.metadata ?? [])),
  };
}

function readPassMode(text: string): 'all' | 'mean' {
  if (text === 'all' || text === 'mean') return text;
  throw new Error(`must be all or mean, not "${text}"`);
}

/** A line break at the end of a file is its editor's. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`the file ${path} cannot be read (${code ?? 'unknown'})`, { cause: error });
  }
}
