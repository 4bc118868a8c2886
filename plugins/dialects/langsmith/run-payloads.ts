import {
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  listOf,
  messageOfChoice,
  objectOf,
  saidByModel,
  without,
  type Given,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/** Members of a run's inputs that may hold what the model was asked, the first before the others. */
const ASKED = ['messages', 'prompts', 'prompt', 'input'];

/** The inputs of a run: messages and parameters for a model's, otherwise as sent. @param model that the span reports. */
export function questionOf(
  given: Given | undefined,
  kind: ReadKind | undefined,
  model: string | undefined,
): Pick<SpanReading, 'input' | 'request'> {
  if (kind?.type !== 'llm_call' || !given) return { input: given };
  const inputs = objectOf(given.value);
  const asked = ASKED.find((name) => inputs[name] !== undefined && inputs[name] !== null);
  if (asked === undefined) return { input: asConversation(given) };
  const reported = inputs[asked];
  const { instructions, ...rest } = without(inputs, asked);
  // Messages of LangChain's own form have more in them than what is shown: the attribute stays.
  const isWhole = listOf(reported)
    .flat()
    .every((message) => typeof objectOf(message)['role'] === 'string');
  const { model: _model, stream: _stream, ...parameters } = rest;
  const isReported = rest['model'] === undefined || rest['model'] === model;
  return {
    input: { value: conversationOf(reported, instructions), from: isWhole && isReported ? given.from : undefined },
    ...(Object.keys(parameters).length > 0 && { request: { value: parameters } }),
  };
}

/** The outputs of a run of a model: LangChain's generations, OpenAI's choices or a message; otherwise as sent. */
export function outputOf(given: Given | undefined, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type !== 'llm_call' || !given) return given;
  const { generations, choices, messages, output } = objectOf(given.value);
  // The attribute stays as sent: there is more in it than the messages.
  if (generations !== undefined) return { value: completionOf(listOf(generations).flat().map(messageOfGeneration)) };
  if (choices !== undefined) return { value: completionOf(listOf(choices).map(messageOfChoice)) };
  if (messages !== undefined || output !== undefined) return { value: completionOf(saidByModel(messages ?? output)) };
  return asCompletion({ ...given, value: saidByModel(given.value) });
}

function messageOfGeneration(generation: unknown): unknown {
  const { message, text, generation_info: info } = objectOf(generation);
  const reason = objectOf(info)['finish_reason'] ?? null;
  if (message === undefined) return { role: 'assistant', content: text ?? null, finish_reason: reason };
  return { finish_reason: reason, ...objectOf(message) };
}
