import {
  datapointOfTexts,
  madeDatapointKindSchema,
  fieldErrors,
  type DatapointKind,
  type FieldError,
} from '@spandrel/contract';
import { fromLongJsonText } from '@spandrel/storage';
import type { StoredSpan } from '@spandrel/tracing';

/** What a datapoint is made of. */
type ExportedSpan = Pick<StoredSpan, 'input' | 'output' | 'kindType'>;

/**
 * What a span becomes as a datapoint (docs/spec/datapoints.md#a-span-as-a-datapoint). The output of a span that still runs
 * is `null`.
 */
export async function datapointOfSpan(span: ExportedSpan): Promise<DatapointKind> {
  const [input, output] = [await fromLongJsonText(span.input), await fromLongJsonText(span.output)];
  return datapointOfTexts({ input, output, isLlmCall: span.kindType === 'llm_call' });
}

/** What a span becomes as a datapoint; `faults` instead when it nests so deep that the datapoint could not be sent back. */
export async function checkedDatapoint(
  span: ExportedSpan,
): Promise<{ kind: DatapointKind; faults?: undefined } | { kind?: undefined; faults: FieldError[] }> {
  const kind = await datapointOfSpan(span);
  const checked = madeDatapointKindSchema.safeParse(kind);
  return checked.success ? { kind } : { faults: fieldErrors(checked.error) };
}

/** Why a span cannot become a datapoint, in words. @param faults at least one. */
export const explainFaults = ([fault]: readonly FieldError[]): string =>
  `the span cannot become a datapoint: ${fault!.path} ${fault!.message}`;
