import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { atEnd } from '../support/at-end.ts';
import { COMPILE_CACHE } from '../support/spandrel.ts';

/** A program that runs real instrumentations, and the dialect that its spans are in. */
export interface Sender {
  name: string;
  /** The program under `senders/`, with what follows it. */
  program: readonly string[];
  /** The packages whose versions matter, as they are installed. */
  packages: readonly string[];
  dialect: string;
  /** Settings of its own in place of `OTEL_*`, for an SDK that has none. */
  environment?: (base: string, key: string) => Record<string, string>;
}

export const SENDERS: readonly Sender[] = [
  {
    name: 'openinference',
    program: ['openinference.ts'],
    packages: ['@arizeai/openinference-instrumentation-openai', 'openai'],
    dialect: 'openinference',
  },
  {
    name: 'opentelemetry',
    program: ['opentelemetry.ts'],
    packages: ['@opentelemetry/instrumentation-openai', 'openai'],
    dialect: 'gen-ai',
  },
  {
    name: 'traceloop',
    program: ['traceloop.ts'],
    packages: ['@traceloop/instrumentation-openai', 'openai'],
    dialect: 'gen-ai',
  },
  { name: 'ai-sdk-6', program: ['ai-sdk-6.ts'], packages: ['ai6', 'ai6-openai'], dialect: 'vercel-ai' },
  {
    name: 'ai-sdk-7-legacy',
    program: ['ai-sdk-7.ts', 'legacy'],
    packages: ['ai', '@ai-sdk/otel', '@ai-sdk/openai'],
    dialect: 'vercel-ai',
  },
  {
    name: 'ai-sdk-7',
    program: ['ai-sdk-7.ts'],
    packages: ['ai', '@ai-sdk/otel', '@ai-sdk/openai'],
    dialect: 'gen-ai',
  },
  {
    name: 'langfuse',
    program: ['langfuse.ts'],
    packages: ['@langfuse/tracing', '@langfuse/otel', '@langfuse/openai', 'openai'],
    dialect: 'langfuse',
    environment: (base, key) => ({
      LANGFUSE_BASE_URL: base,
      LANGFUSE_PUBLIC_KEY: 'pk-lf-any',
      LANGFUSE_SECRET_KEY: key,
      LANGFUSE_TRACING_ENVIRONMENT: 'harbour',
    }),
  },
  {
    name: 'langsmith',
    program: ['langsmith.ts'],
    packages: ['langsmith', 'openai'],
    dialect: 'langsmith',
    environment: (base, key) => ({
      LANGSMITH_ENDPOINT: base,
      LANGSMITH_API_KEY: key,
      LANGSMITH_TRACING: 'true',
      LANGSMITH_OTEL_ENABLED: 'true',
    }),
  },
];

/**
 * Runs a sender to its end.
 * @param env beside the path to programs; `OPENAI_BASE_URL` is where the model is.
 * @param cwd where it is run, if not here.
 * @returns what it wrote, which is nothing when all went well.
 * @throws when it ended with a fault.
 */
export async function runSender(
  { program }: Pick<Sender, 'program'>,
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): Promise<string> {
  const [file, ...args] = program;
  const child = spawn(process.execPath, [resolve('test/otlp/senders', file!), ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      OPENAI_API_KEY: 'sk-any',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  running.delete(child);
  if (code !== 0) throw new Error(`${program.join(' ')} ended with ${code}:\n${output}`);
  return output.trim();
}

const running = new Set<{ kill(signal: NodeJS.Signals): boolean }>();
atEnd(() => running.forEach((child) => child.kill('SIGKILL')));
