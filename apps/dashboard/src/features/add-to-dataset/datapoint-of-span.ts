import { isObject } from '../messages/lenient.js';

type MadeDatapoint =
  | { LlmConversation: { messages: readonly unknown[]; expected: string | null } }
  | { Generic: { input: unknown; expected_output: unknown } };

/**
 * The datapoint that the service makes of a span (docs/spec/datapoints.md#a-span-as-a-datapoint): of messages a
 * conversation that expects the text of the output, of everything else a generic one.
 */
export function datapointOfSpan(input: unknown, output: unknown): MadeDatapoint {
  if (Array.isArray(input) && input.length > 0 && input.every(isMessage)) {
    return { LlmConversation: { messages: input, expected: textOf(output) } };
  }
  return { Generic: { input, expected_output: output } };
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value['role'] !== 'string') return false;
  const { content } = value;
  return typeof content === 'string' || content === null || Array.isArray(content) || isObject(content);
}

function textOf(output: unknown): string | null {
  if (typeof output === 'string') return output;
  return isObject(output) && typeof output['text'] === 'string' ? output['text'] : null;
}
