import type { SpanFilters } from '@spandrel/contract';
import { jsonContains, mayContainJson, needleInJson, sql, type Sql } from '@spandrel/storage';
import type { StoredSpan } from '../../span.entity.js';

/** Whether a list looks for text in payloads. */
export const searchesText = (query: SpanFilters): boolean =>
  [query.text_contains, query.input_contains, query.output_contains, query.error_contains].some(
    (needle) => needle !== undefined,
  );

/** Conditions on `span_payload p` that every hit meets, and some that are none: {@link matchesText} decides. */
export function payloadConditions(query: SpanFilters): Sql[] {
  const conditions: Sql[] = [];
  const { text_contains: text, input_contains: input, output_contains: output, error_contains: error } = query;
  if (text !== undefined)
    conditions.push(sql`(${mayContainJson('p.input', text)} or ${mayContainJson('p.output', text)})`);
  if (input !== undefined) conditions.push(mayContainJson('p.input', input));
  if (output !== undefined) conditions.push(mayContainJson('p.output', output));
  if (error !== undefined) conditions.push(mayContainJson('p.error', error));
  return conditions;
}

/** What the texts of every hit contain, as they are stored, without the case of A to Z. */
export const needlesInJson = ({
  text_contains: text,
  input_contains: input,
  output_contains: output,
  error_contains: error,
}: SpanFilters): string[] =>
  [text, input, output, error].flatMap((needle) => (needle === undefined ? [] : (needleInJson(needle) ?? [])));

/** Whether the decoded payload of a span contains what is searched. */
export async function matchesText(span: StoredSpan, query: SpanFilters): Promise<boolean> {
  const { text_contains: text, input_contains: input, output_contains: output, error_contains: error } = query;
  if (text !== undefined && !(await jsonContains(span.input, text)) && !(await jsonContains(span.output, text)))
    return false;
  if (input !== undefined && !(await jsonContains(span.input, input))) return false;
  if (output !== undefined && !(await jsonContains(span.output, output))) return false;
  return error === undefined || jsonContains(span.error, error);
}
