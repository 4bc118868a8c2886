import type { ListSpans } from '@spandrel/contract';
import { jsonContains, mayContainJson, sql, type Sql } from '@spandrel/storage';
import type { StoredSpan } from '../../span.entity.js';

/** Whether a list looks for text in payloads. */
export const searchesText = ({ text_contains: text, input_contains: input, output_contains: output }: ListSpans) =>
  text !== undefined || input !== undefined || output !== undefined;

/** Conditions on `span_payload p` that every hit meets, and some that are none: {@link matchesText} decides. */
export function payloadConditions(query: ListSpans): Sql[] {
  const conditions: Sql[] = [];
  const { text_contains: text, input_contains: input, output_contains: output } = query;
  if (text !== undefined)
    conditions.push(sql`(${mayContainJson('p.input', text)} or ${mayContainJson('p.output', text)})`);
  if (input !== undefined) conditions.push(mayContainJson('p.input', input));
  if (output !== undefined) conditions.push(mayContainJson('p.output', output));
  return conditions;
}

/** Whether the decoded payload of a span contains what is searched. */
export function matchesText(span: StoredSpan, query: ListSpans): boolean {
  const { text_contains: text, input_contains: input, output_contains: output } = query;
  if (text !== undefined && !jsonContains(span.input, text) && !jsonContains(span.output, text)) return false;
  if (input !== undefined && !jsonContains(span.input, input)) return false;
  return output === undefined || jsonContains(span.output, output);
}
