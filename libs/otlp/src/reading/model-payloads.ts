import {
  completionOf,
  conversationOf,
  isCompletion,
  isConversation,
  objectOf,
  type SpanReading,
} from '@spandrel/plugin-api';

/** The input as it is stored; that of a call of a model is messages, whatever a dialect gave. */
export function storedInput({ kind, input }: SpanReading): unknown {
  if (input === undefined) return undefined;
  return kind?.type === 'llm_call' && !isConversation(input.value) ? conversationOf(input.value) : input.value;
}

/** Whether the stored input has all of the one that was given: of an object with messages, these and the system prompt are kept. */
export function isInputWhole({ kind, input }: SpanReading): boolean {
  if (kind?.type !== 'llm_call') return true;
  const { messages, system: _system, ...rest } = objectOf(input?.value);
  return !Array.isArray(messages) || Object.keys(rest).length === 0;
}

/** The output as it is stored; that of a call of a model is a completion, whatever a dialect gave. */
export function storedOutput({ kind, output }: SpanReading): unknown {
  if (output === undefined) return undefined;
  if (kind?.type !== 'llm_call' || isCompletion(output.value)) return output.value;
  return completionOf(spoken(output.value));
}

/** What is no message is what the model said. */
function spoken(value: unknown): unknown {
  const messages = conversationOf(value);
  const [only] = messages;
  if (messages.length !== 1 || only?.role !== 'user') return messages;
  return [{ ...only, role: 'assistant' }];
}
