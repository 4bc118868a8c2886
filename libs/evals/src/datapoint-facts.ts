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

/** @param systemPrompt `null`: none is added. */
export function datapointFacts(kind: DatapointKind, systemPrompt: string | null): DatapointFacts {
  const system: ChatMessage[] = systemPrompt === null ? [] : [{ role: 'system', content: systemPrompt }];
  if ('LlmConversation' in kind) {
    const { messages, expected } = kind.LlmConversation;
    const asked = messages.map((message) => ({ ...message, content: message.content ?? null }));
    return { input: messages, messages: [...system, ...asked], expected: expected ?? undefined };
  }
  const { input, expected_output: expected } = kind.Generic;
  const question = { role: 'user', content: plainTextOf(input) };
  return { input, messages: [...system, question], expected: expected ?? undefined };
}

/** The expected text of a result item; `null` when there is none. */
export const expectedText = (expected: unknown): string | null =>
  expected === undefined ? null : plainTextOf(expected);
