import type { DatapointKind } from '@spandrel/contract';
import { plainTextOf, type ChatMessage } from '@spandrel/plugin-api';

/** What a run needs to know of a datapoint. */
export interface DatapointFacts {
  /** The input as the datapoint has it: any JSON, or the messages of a conversation. */
  input: unknown;
  /** Messages to send, the run's system prompt first (docs/spec/evaluations.md#prompts). */
  messages: ChatMessage[];
  /** `undefined` when there is none; an explicit `null` is none (docs/spec/evaluations.md#expected-text). */
  expected: unknown;
}

/** The input and the expected value of {@link datapointFacts} alone: to write a large input as a message takes long. */
export function inputAndExpected(kind: DatapointKind): Pick<DatapointFacts, 'input' | 'expected'> {
  const [input, expected] =
    'LlmConversation' in kind
      ? [kind.LlmConversation.messages, kind.LlmConversation.expected]
      : [kind.Generic.input, kind.Generic.expected_output];
  return { input, expected: expected ?? undefined };
}

/** @param systemPrompt `null`: none is added. */
export function datapointFacts(kind: DatapointKind, systemPrompt: string | null): DatapointFacts {
  const system: ChatMessage[] = systemPrompt === null ? [] : [{ role: 'system', content: systemPrompt }];
  const asked =
    'LlmConversation' in kind
      ? kind.LlmConversation.messages.map((message) => ({ ...message, content: message.content ?? null }))
      : [{ role: 'user', content: plainTextOf(kind.Generic.input) }];
  return { ...inputAndExpected(kind), messages: [...system, ...asked] };
}

/** The expected text of a result item; `null` when there is none. */
export const expectedText = (expected: unknown): string | null =>
  expected === undefined ? null : plainTextOf(expected);
