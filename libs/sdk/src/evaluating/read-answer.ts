import { isObject, textOf } from './json.js';

/** What a task answered. */
export interface ReadAnswer {
  output: unknown;
  /** The output as it is kept. */
  text: string;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** Dollars. */
  cost: number | undefined;
}

const MEMBERS: readonly string[] = ['output', 'usage', 'cost'];

/** What providers and their SDKs call tokens. */
const INPUT_TOKENS = ['inputTokens', 'input_tokens', 'prompt_tokens', 'promptTokens'];
const OUTPUT_TOKENS = ['outputTokens', 'output_tokens', 'completion_tokens', 'completionTokens'];

/** @throws Error when the answer is no output, or its cost is none. */
export function readAnswer(answer: unknown): ReadAnswer {
  const isWhole = isObject(answer) && 'output' in answer && Object.keys(answer).every((name) => MEMBERS.includes(name));
  const { output, usage, cost } = isWhole ? (answer as Record<string, unknown>) : { output: answer };
  return {
    output,
    text: textOfOutput(output),
    inputTokens: countIn(usage, INPUT_TOKENS),
    outputTokens: countIn(usage, OUTPUT_TOKENS),
    cost: costOf(cost ?? undefined),
  };
}

function textOfOutput(output: unknown): string {
  if (output === undefined) throw new Error('the task returned nothing; it must return its output');
  let text: string | undefined;
  try {
    text = textOf(output);
  } catch (error) {
    throw new Error('the output is no JSON', { cause: error });
  }
  if (text === undefined) throw new Error(`the output is a ${typeof output}, and no JSON`);
  return text;
}

/** Usage comes from a provider: what is no count in it is not taken. */
function countIn(usage: unknown, names: readonly string[]): number | undefined {
  if (!isObject(usage)) return undefined;
  const count = names.map((name) => usage[name]).find((value) => value !== undefined && value !== null);
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

function costOf(cost: unknown): number | undefined {
  if (cost === undefined || (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0)) return cost;
  throw new Error(`the cost of the answer is ${String(cost)}; it must be dollars, 0 or more`);
}
