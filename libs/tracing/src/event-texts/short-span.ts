import { SHORT_MARK, type ShortEvent } from '@spandrel/events';
import type { SpanJson } from '../span-json.js';
import type { StoredSpan } from '../span.entity.js';
import {
  bitOf,
  REFERRED_LENGTH_MIN,
  steadyMembers,
  TEXT_MEMBERS,
  type TextMember,
  type TextMembers,
} from './text-member.js';

/** What stands for a text that is left out: the mark, and which member it is. */
const CODES: Record<TextMember, string> = { kind: 'k', input: 'i', output: 'o', metadata: 'm', error: 'e' };
const MEMBERS = new Map(TEXT_MEMBERS.map((member) => [CODES[member], member]));
const HOLES = new RegExp(`${SHORT_MARK}([${[...MEMBERS.keys()].join('')}])`, 'g');

/** Members that the service adds members of its own to when it shows them: what is left out is what is within the braces. */
const OBJECTS: ReadonlySet<TextMember> = new Set(['kind', 'metadata']);

/** Where the texts are that a short line leaves out. */
export interface SpanReference {
  id: string;
  startedAt: number;
  members: TextMembers;
}

/**
 * The event of a span without those of its texts that the span's payload has when the transaction ends. The line ends with
 * where that is: the mark, and a list of the span's id and start.
 * @param json of the span as the event tells it, `span` likewise.
 * @param kept the span at the end of the transaction.
 * @returns `undefined` when nothing can be left out.
 */
export function shortSpanEvent(
  type: string,
  span: StoredSpan,
  json: SpanJson,
  kept: StoredSpan,
): ShortEvent | undefined {
  const texts = { ...json.texts };
  let isShort = false;
  for (const member of steadyMembers(kept)) {
    const stored = span[member];
    if (stored === null || stored.length < REFERRED_LENGTH_MIN || stored !== kept[member]) continue;
    const short = shortText(member, stored, json.texts[member]);
    if (short === undefined) continue;
    texts[member] = short;
    isShort = true;
  }
  if (!isShort) return undefined;
  const [begin, end] = aroundSpan(type);
  const place = [SHORT_MARK, JSON.stringify([kept.id, kept.startedAt])];
  const line = [begin, ...json.with(texts), end, ...place].join('');
  return { line, bytes: begin.length + json.bytes + end.length };
}

/** The JSON of an event of a span. */
export const eventJson = (type: string, span: string): string => aroundSpan(type).join(span);

/** What stands before the span in its event, and behind it. */
const aroundSpan = (type: string): [string, string] => [`{"type":"${type}","span":`, '}'];

/** The short form of a text as it is shown; `undefined` when it is not shown as it is stored. */
function shortText(member: TextMember, stored: string, shown: string): string | undefined {
  const hole = SHORT_MARK + CODES[member];
  if (!OBJECTS.has(member)) return shown === stored ? hole : undefined;
  return shown.startsWith(stored.slice(0, -1)) ? `{${hole}${shown.slice(stored.length - 1)}` : undefined;
}

/** Where the texts are that a short line leaves out. */
export function referenceOf(line: string): SpanReference {
  const [id, startedAt] = JSON.parse(line.slice(line.lastIndexOf(SHORT_MARK) + 1)) as [string, number];
  let members = 0;
  for (const [, code] of line.matchAll(HOLES)) members |= bitOf(MEMBERS.get(code!)!);
  return { id, startedAt, members };
}

/** The line of an event with the texts that its short form leaves out; `null` stands for one that is missing. */
export const wholeLine = (line: string, texts: Readonly<Record<TextMember, string | null>>): string =>
  line.slice(0, line.lastIndexOf(SHORT_MARK)).replace(HOLES, (_hole, code: string) => {
    const member = MEMBERS.get(code)!;
    const text = texts[member];
    if (OBJECTS.has(member)) return text === null ? '"missing":null' : text.slice(1, -1);
    return text ?? 'null';
  });
