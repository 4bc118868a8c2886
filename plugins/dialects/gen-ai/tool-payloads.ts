import {
  conversationOf,
  looseJson,
  toolCallsOf,
  valueOfResult,
  without,
  type Given,
  type ReadKind,
} from '@spandrel/plugin-api';

type ToolKind = Extract<ReadKind, { type: 'tool_call' }>;

/** The arguments of a tool, where its span reports them as a message: its content, or those of the call in it. */
export function argumentsIn(messages: Given, kind: ToolKind): Given {
  const [only, ...others] = conversationOf(messages.value);
  if (only === undefined || others.length > 0) return messages;
  const [call, ...more] = toolCallsOf(only['tool_calls']);
  if (call === undefined) return alone(messages, only.content, without(only, 'content'), kind);
  if (more.length > 0 || only.content !== null) return messages;
  const args = typeof call.arguments === 'string' ? looseJson(call.arguments) : call.arguments;
  return alone(
    messages,
    args,
    { ...without(only, 'content', 'tool_calls'), ...without({ ...call }, 'arguments') },
    kind,
  );
}

/** What a tool gave back, where its span reports it as a message. */
export function resultIn(messages: Given, kind: ToolKind): Given {
  const [only, ...others] = conversationOf(messages.value);
  const isResult = only !== undefined && others.length === 0 && toolCallsOf(only['tool_calls']).length === 0;
  return isResult ? alone(messages, valueOfResult(only.content), without(only, 'content'), kind) : messages;
}

/** A value of a message without the message, which stays where it was when it says more than the kind of the span does. */
function alone(messages: Given, value: unknown, rest: Readonly<Record<string, unknown>>, kind: ToolKind): Given {
  const known: readonly unknown[] = [kind.name, kind.callId, null, undefined];
  const isKnown = Object.entries(rest).every(
    ([name, said]) => name === 'role' || name === 'finish_reason' || known.includes(said),
  );
  return isKnown ? { ...messages, value } : { value };
}
