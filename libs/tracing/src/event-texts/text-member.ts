import type { StoredSpan } from '../span.entity.js';
import { STATUS } from '../status.js';

/** The members of a span's payload. */
export const TEXT_MEMBERS = ['kind', 'input', 'output', 'metadata', 'error'] as const;
export type TextMember = (typeof TEXT_MEMBERS)[number];

/** Some members, as a number: the sum of their bits. */
export type TextMembers = number;

export const bitOf = (member: TextMember): TextMembers => 1 << TEXT_MEMBERS.indexOf(member);
export const ALL_MEMBERS: TextMembers = 2 ** TEXT_MEMBERS.length - 1;

/** Events refer to texts of so many UTF-16 units or more: a reference takes a few bytes, and is to be looked up. */
export const REFERRED_LENGTH_MIN = 64;

/** Members that are as they will stay while a span still runs; all of them are, as a rule, once it has ended. */
const STEADY: readonly TextMember[] = ['input', 'output'];

/**
 * The members to which events may refer that were told when a span was as given. Kind and metadata of a running span are not
 * among them: its end changes them, and their old texts would have to be kept each time.
 */
export const steadyMembers = ({ status }: Pick<StoredSpan, 'status'>): readonly TextMember[] =>
  status === STATUS.running ? STEADY : TEXT_MEMBERS;

/** The texts of a span to which events may refer, and which another form of it has no more. */
export function changedMembers(before: StoredSpan, after: StoredSpan): TextMembers {
  // A span that moves is found where it lies now, and by when it starts now: its older events find nothing of it there.
  const moves = before.startedAt !== after.startedAt;
  let changed = 0;
  for (const member of steadyMembers(before)) {
    const text = before[member];
    if (text !== null && text.length >= REFERRED_LENGTH_MIN && (moves || text !== after[member]))
      changed |= bitOf(member);
  }
  return changed;
}
