import {
  madeDatapointKindSchema,
  exactJsonInPieces,
  fieldErrors,
  type DatapointKind,
  type DatapointMessage,
  type FieldError,
} from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import type { StoredSpan } from '@spandrel/tracing';

/**
 * What a span becomes as a datapoint (docs/spec/datapoints.md#a-span-as-a-datapoint): an input of messages makes a
 * conversation, which expects the output's text; every other input a Generic, which expects the output as it is. The
 * output of a span that still runs is `null`.
 */
export async function datapointOfSpan(span: Pick<StoredSpan, 'input' | 'output'>): Promise<DatapointKind> {
  const [input, output] = [await valueOf(span.input), await valueOf(span.output)];
  if (isConversation(input)) {
    return { LlmConversation: { messages: input, expected: textOf(output), metadata: null } };
  }
  return { Generic: { input, expected_output: output } };
}

/** What a span becomes as a datapoint; `faults` instead when it nests so deep that the datapoint could not be sent back. */
export async function checkedDatapoint(
  span: Pick<StoredSpan, 'input' | 'output'>,
): Promise<{ kind: DatapointKind; faults?: undefined } | { kind?: undefined; faults: FieldError[] }> {
  const kind = await datapointOfSpan(span);
  const checked = madeDatapointKindSchema.safeParse(kind);
  return checked.success ? { kind } : { faults: fieldErrors(checked.error) };
}

/** Why a span cannot become a datapoint, in words. @param faults at least one. */
export const explainFaults = ([fault]: readonly FieldError[]): string =>
  `the span cannot become a datapoint: ${fault!.path} ${fault!.message}`;

const valueOf = async (json: string | null): Promise<unknown> =>
  json === null ? null : inTurns(exactJsonInPieces(json));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const isConversation = (input: unknown): input is DatapointMessage[] =>
  Array.isArray(input) && input.length > 0 && input.every(isMessage);

/** Has a role and `content` as a datapoint may have it: text, parts or `null`. */
function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value['role'] !== 'string') return false;
  const { content } = value;
  return typeof content === 'string' || content === null || Array.isArray(content) || isObject(content);
}

/** The text of an output: the output itself, or what the gateway records as its `text`. */
function textOf(output: unknown): string | null {
  if (typeof output === 'string') return output;
  return isObject(output) && typeof output['text'] === 'string' ? output['text'] : null;
}
