import {
  conversationOf,
  isAllMessages,
  listOf,
  objectOf,
  takeAt,
  takeObject,
  textAt,
  type Given,
  type GivenMembers,
  type OtelMap,
  type ReadKind,
} from '@spandrel/plugin-api';

/**
 * What an observation was given, and with which parameters. The wrapper of OpenAI's client writes tools beside the
 * messages, and the system prompt of Responses into the metadata.
 */
export function questionOf(
  attributes: OtelMap,
  kind: ReadKind | undefined,
): { input: Given | undefined; request: GivenMembers | undefined } {
  const request = takeObject(attributes, PARAMETERS);
  const input = takeAt(attributes, INPUT);
  if (kind?.type !== 'llm_call' || !input) return { input, request };
  const { messages, ...rest } = objectOf(input.value);
  if (listOf(messages).length > 0) {
    const isWhole = Object.keys(rest).every((name) => request?.value[name] === undefined);
    return {
      input: { value: conversationOf(messages), from: isWhole ? input.from : undefined },
      request: withMembers(request, rest),
    };
  }
  const instructions = textAt(attributes, INSTRUCTIONS_NAMES);
  if (instructions === undefined) return { input, request };
  return {
    input: {
      value: conversationOf(input.value, instructions),
      from: [...(isAllMessages(input.value) ? input.from! : []), INSTRUCTIONS],
    },
    request,
  };
}

/** The parameters with what stood beside the messages; their names are those of the input. */
function withMembers(request: GivenMembers | undefined, rest: Record<string, unknown>): GivenMembers | undefined {
  return Object.keys(rest).length === 0 ? request : { ...request, value: { ...rest, ...request?.value } };
}

const INPUT = ['langfuse.observation.input'];
const PARAMETERS = 'langfuse.observation.model.parameters';
const INSTRUCTIONS = 'langfuse.observation.metadata.instructions';
const INSTRUCTIONS_NAMES = [INSTRUCTIONS];
