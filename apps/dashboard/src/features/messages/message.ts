/** What a message of a conversation is made of, as it is shown. All of it is text to be shown as text. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | ToolCallPart
  | ToolResultPart
  /** An image whose bytes are in the recording. */
  | { type: 'image'; source: string }
  /** An image elsewhere, which is not fetched. */
  | { type: 'remote-image'; url: string }
  /** Anything else, as JSON. */
  | { type: 'json'; json: string };

export interface ToolCallPart {
  type: 'tool-call';
  name: string;
  id: string | null;
  arguments: string;
}

interface ToolResultPart {
  type: 'tool-result';
  id: string | null;
  parts: readonly MessagePart[];
}

export interface Message {
  /** The recorded word: `system`, `user`, `assistant`, `tool` … */
  role: string;
  /** Name of who speaks, or of the tool. */
  name: string | null;
  parts: readonly MessagePart[];
  /** Whether this is the answer of the call. */
  isAnswer: boolean;
}

const ROLE_LENGTH_MAX = 40;

/** `User message`, `Tool message`, `Message` for one without a role. */
export function titleOf({ role }: Pick<Message, 'role'>): string {
  const word = role.trim().slice(0, ROLE_LENGTH_MAX);
  return word === '' ? 'Message' : `${word[0]!.toUpperCase()}${word.slice(1)} message`;
}
