import { capitalized } from '../../components/format.js';
import type { Message as ReadMessage } from '@spandrel/contract/browser';

/** What a message of a conversation is made of, as it is shown. All of it is text to be shown as text. */
export type ShownPart =
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
  parts: readonly ShownPart[];
}

export type Message = Omit<ReadMessage, 'parts'> & { parts: readonly ShownPart[] };

const ROLE_LENGTH_MAX = 40;

/** `User message`, `Tool message`, `Message` for one without a role. */
export function titleOf({ role }: Pick<Message, 'role'>): string {
  const word = role.trim().slice(0, ROLE_LENGTH_MAX);
  return word === '' ? 'Message' : `${capitalized(word)} message`;
}

export interface MessageReading {
  format: 'rendered' | 'text' | 'json';
  wraps: boolean;
  /** Marked wherever it is; `''` for nothing. */
  sought: string;
  /** Lines of a long text that are shown before one asks for all of it, where the page has room for few. */
  lines?: number;
  /** Whether all that comes before the last question waits until it is asked for. */
  isBrief?: boolean;
}

/** A value as JSON over several lines. */
export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';

/** A link of a recorded text that may be followed, and where it leads. */
interface SafeLink {
  href: string;
  /** The host, or the mail address: what the text of the link may hide. */
  leadsTo: string;
}

/** Reads the address of a link: whole web and mail addresses alone may be followed; `null` for all else. */
export function safeLinkOf(address: unknown): SafeLink | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'mailto:') return { href: url.href, leadsTo: url.pathname };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  return { href: url.href, leadsTo: url.host };
}
