/**
 * The far end of {@link callEvalProcess}: loads a file of the user's and runs its eval. That code may end this process, throw
 * beside its answers or write what it likes: the command judges from outside.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { registerHooks } from 'node:module';
import { Spandrel } from '@spandrel/sdk';
import {
  ciMetadata,
  DefinitionError,
  evaluate,
  isEvalDefinition,
  nameRun,
  type EvalDefinition,
} from '@spandrel/sdk/eval';
import { codeFile } from '@spandrel/kernel/launch';
import { fail, UsageFault } from '../../client/exit-codes.js';
import type { EvalEnd, EvalOrder, EvalReply } from '../commands/eval-files.js';

/** The entries of the SDK, which the build makes files of their own (scripts/build-plan.mjs). */
const ENTRIES: Readonly<Record<string, string>> = {
  '@spandrel/sdk': 'libs/sdk/src/index.ts',
  '@spandrel/sdk/eval': 'libs/sdk/src/eval.ts',
};

/** Traces that are not delivered by then are lost: the eval has waited for its own already. */
const SHUTDOWN_MS = 2_000;
const FRAMES_MAX = 4;

// Libraries send to a parent process where there is one.
const sendToCommand = process.send!.bind(process);
delete process.send;
process.disconnect = () => {};

const reply = (message: EvalReply): Promise<void> =>
  new Promise((done) => void sendToCommand(message, undefined, undefined, () => done()));

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupted.abort(new Error('interrupted')));
}
// Nobody waits for a verdict any more.
process.on('disconnect', () => process.exit(1));
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled rejection, which the eval goes on after: ${describePlace(reason)}\n`);
});
// A file that waits for what never comes is to end the process.
process.channel!.unref();
provideSdk();

const [file, order] = process.argv.slice(2);
try {
  const definition = await loadDefinition(file!);
  await reply({ loaded: { name: definition.name } });
  if (order !== undefined) await reply({ ended: await runEval(definition, JSON.parse(order) as EvalOrder) });
} catch (error) {
  const { exitCode, lines } = fail(error instanceof DefinitionError ? new UsageFault(error.message) : error);
  await reply({ fault: { message: lines.join('\n'), exitCode } });
}
// Whatever the file left open.
process.exit();

async function runEval(definition: EvalDefinition, options: EvalOrder): Promise<EvalEnd> {
  const spandrel = new Spandrel();
  const { dataset, metadata } = definition;
  const unnamed = `${typeof dataset === 'string' ? dataset : dataset.name}, ${nameRun({ ...ciMetadata(), ...metadata })}`;
  try {
    const result = await evaluate(definition, {
      ...{ ...options, name: definition.name ?? unnamed, spandrel, signal: interrupted.signal },
      onStarted: ({ id }) => void reply({ started: id }),
      onProgress: (progress) => void reply({ progress }),
    });
    const { run, baselineRunId, skippedGates, missingBaseline, wasOver } = result;
    const { groupBy = [], clusterBy, baseline } = definition;
    const by = {
      ...{ baselineRunId, groupBy: [groupBy].flat(), clusterBy },
      requireBaseline: options.requireBaseline ?? definition.requireBaseline,
      allowDifferentScoring: options.allowDifferentScoring ?? definition.allowDifferentScoring,
    };
    return { runId: run.id, datasetId: run.dataset_id, by, skippedGates, missingBaseline, wasOver, baseline };
  } finally {
    await spandrel.shutdown({ timeoutMs: SHUTDOWN_MS });
  }
}

async function loadDefinition(file: string): Promise<EvalDefinition> {
  const loaded: Promise<{ default?: unknown }> = import(pathToFileURL(resolve(file)).href);
  const { default: exported } = await loaded.catch((error: unknown) => {
    throw new UsageFault(`${file}: does not load\n${describePlace(error)}`);
  });
  if (isEvalDefinition(exported)) return exported;
  const lack = exported === undefined ? '; it has none' : '';
  throw new UsageFault(`${file}: its default export must be made by defineEval of @spandrel/sdk/eval${lack}`);
}

/** What went wrong, and where: the stack as far as it is the user's. */
function describePlace(error: unknown): string {
  if (!(error instanceof Error) && (typeof error !== 'object' || error === null || !('stack' in error)))
    return String(error);
  const lines = String((error as Error).stack ?? (error as Error).message).split('\n');
  const isFrame = (line: string): boolean => /^\s+at /.test(line);
  const frames = lines.filter((line) => isFrame(line) && !line.includes('node:internal')).slice(0, FRAMES_MAX);
  return [...lines.filter((line) => line.trim() !== '' && !isFrame(line)), ...frames].join('\n');
}

/** Lets files that this process loads import the SDK where their project has none installed: they get the command's own. Called once. */
function provideSdk(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const own = ENTRIES[specifier];
      if (own === undefined) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
        return { url: pathToFileURL(codeFile(own)).href, format: 'module', shortCircuit: true };
      }
    },
  });
}
