import { completionOf, conversationOf, listOf, objectOf, type Given, type ReadKind } from '@spandrel/plugin-api';

/** The inputs of a run: messages for a model's, otherwise as sent. */
export function inputOf(given: Given | undefined, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type !== 'llm_call' || !given) return given;
  const { messages, prompts, prompt, ...rest } = objectOf(given.value);
  const told = messages ?? prompts ?? prompt;
  if (told === undefined) return { ...given, value: conversationOf(given.value) };
  // Messages of LangChain's own form have more in them than what is shown: the attribute stays.
  const hasRoles = listOf(told)
    .flat()
    .every((message) => typeof objectOf(message)['role'] === 'string');
  const isWhole = hasRoles && Object.keys(rest).length === 0;
  return { value: conversationOf(told), from: isWhole ? given.from : undefined };
}

/** The outputs of a run of a model: LangChain's generations, OpenAI's choices or a message; otherwise as sent. */
export function outputOf(given: Given | undefined, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type !== 'llm_call' || !given) return given;
  if (typeof given.value === 'string') {
    return { ...given, value: completionOf([{ role: 'assistant', content: given.value }]) };
  }
  const { generations, choices, messages, output } = objectOf(given.value);
  // The attribute stays as sent: there is more in it than the messages.
  if (generations !== undefined) return { value: completionOf(listOf(generations).flat().map(messageOfGeneration)) };
  if (choices !== undefined) return { value: completionOf(listOf(choices).map(messageOfChoice)) };
  if (messages !== undefined || output !== undefined) return { value: completionOf(spoken(messages ?? output)) };
  return { ...given, value: completionOf(given.value) };
}

const spoken = (value: unknown): unknown =>
  typeof value === 'string' ? [{ role: 'assistant', content: value }] : value;

function messageOfGeneration(generation: unknown): unknown {
  const { message, text, generation_info: info } = objectOf(generation);
  const reason = objectOf(info)['finish_reason'] ?? null;
  if (message === undefined) return { role: 'assistant', content: text ?? null, finish_reason: reason };
  return { finish_reason: reason, ...objectOf(message) };
}

function messageOfChoice(choice: unknown): unknown {
  const { message, text, finish_reason: reason } = objectOf(choice);
  return { role: 'assistant', content: text ?? null, ...objectOf(message), finish_reason: reason ?? null };
}
