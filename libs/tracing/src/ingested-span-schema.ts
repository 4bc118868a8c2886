import { ingestSpanSchema, isStorableText } from '@spandrel/contract';

/** A span as it is ingested. A trace id that no column can hold names no trace. */
export const ingestedSpanSchema = ingestSpanSchema.refine(({ trace_id: id }) => isStorableText(id), {
  path: ['trace_id'],
  message: 'must not hold NUL characters or lone surrogates',
});
