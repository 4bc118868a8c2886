import type { ExternalResult } from '../api/schema.js';
import { errorText } from '../recording/error-text.js';
import type { Task } from './definition.js';
import type { EvalSpandrel } from './eval-spandrel.js';
import { limited, type Bounds } from './limited.js';
import type { PlannedScorer } from './plan-scorers.js';
import { readAnswer, type ReadAnswer } from './read-answer.js';
import { factsOf, type Sample } from './sample.js';
import { scoreOutput, type Said } from './score-output.js';

/** What all samples of a run are tried with. */
export interface Trials {
  runId: string;
  runName: string;
  datasetId: string;
  repeats: number;
  task: Task<unknown, unknown, unknown>;
  scorers: readonly PlannedScorer[];
  spandrel: EvalSpandrel;
  bounds: Bounds;
}

/** What became of a try. */
export interface Tried extends Pick<Sample, 'datapointId' | 'repeat'> {
  /** Undefined where the task failed. */
  answer: ReadAnswer | undefined;
  /** Why the task failed. */
  error: string | undefined;
  latencyMs: number;
  /** By the places of the scorers; undefined of those of the server, and where the task failed. */
  said: (Said | undefined)[];
  traceId: string;
  spanId: string;
}

/** The tag of traces that evals make; capture rules pass them over. */
const EVAL_TAG = 'eval';

/**
 * Makes a try in a trace of its own: calls the task, then the scorers of this process.
 * @returns also when they fail. @throws what the eval was stopped with.
 */
export function trySample(trials: Trials, sample: Sample): Promise<Tried> {
  const { runId, runName, datasetId, repeats, spandrel } = trials;
  const { datapointId, repeat } = sample;
  const metadata = {
    ...{ eval_run_id: runId, dataset_id: datasetId, datapoint_id: datapointId },
    ...(repeats > 1 && { repeat }),
  };
  return spandrel.trace(runName, { tags: [EVAL_TAG], metadata }, async (trace) => ({
    ...{ datapointId, repeat },
    ...(await tryWithin(trials, sample)),
    traceId: trace.id,
  }));
}

async function tryWithin(
  { task, scorers, spandrel, bounds }: Trials,
  { datapointId, repeat, kind }: Sample,
): Promise<Omit<Tried, 'traceId' | 'datapointId' | 'repeat'>> {
  const { input, expected, metadata } = factsOf(kind);
  const began = performance.now();
  let latencyMs: number | undefined;
  let spanId = '';
  const elapsed = (): number => (latencyMs ??= Math.round(performance.now() - began));
  try {
    const answer = await spandrel.span('task', { input }, async (span) => {
      spanId = span.id;
      const given = await limited((signal) => task({ input, metadata, datapointId }, { repeat, signal }), bounds);
      elapsed();
      const read = readAnswer(given);
      span.set({ output: read.output });
      return read;
    });
    const scored = { input, output: answer.output, expected, metadata };
    const said = await Promise.all(scorers.map((scorer) => scoreOutput(scorer, scored, spandrel, bounds)));
    return { answer, error: undefined, latencyMs: elapsed(), said, spanId };
  } catch (error) {
    bounds.signal.throwIfAborted();
    return { answer: undefined, error: errorText(error), latencyMs: elapsed(), said: [], spanId };
  }
}

/** A try as the API takes it. @param names the names of the scorers, by place. */
export function resultOf({ answer, error, said, ...tried }: Tried, names: readonly string[]): ExternalResult {
  const failed = said.findIndex((one) => one?.error !== undefined);
  const why = error ?? (failed < 0 ? undefined : `scorer ${names[failed]}: ${said[failed]!.error}`);
  const scores = Object.fromEntries(
    said.flatMap((one, place) => {
      const { score, reason } = one ?? {};
      return typeof score === 'number' ? [[names[place]!, { score, ...(reason !== undefined && { reason }) }]] : [];
    }),
  );
  return {
    datapoint_id: tried.datapointId,
    repeat: tried.repeat,
    ...(why === undefined ? { output: answer!.text } : { error: why }),
    ...(Object.keys(scores).length > 0 && { scores }),
    latency_ms: tried.latencyMs,
    ...(answer?.inputTokens !== undefined && { input_tokens: answer.inputTokens }),
    ...(answer?.outputTokens !== undefined && { output_tokens: answer.outputTokens }),
    ...(answer?.cost !== undefined && { cost: answer.cost }),
    // Nothing is recorded while tracing is off.
    ...(tried.traceId !== '' && { trace_id: tried.traceId, span_id: tried.spanId }),
  };
}
