import type { DatapointKind } from '@spandrel/contract';
import type { MaskingCalls, MemberFields } from './masking.js';

/** The field of each member of a datapoint; all others are metadata, and their names may hold a value too. */
const FIELDS: MemberFields = {
  input: 'input',
  messages: 'input',
  expected: 'output',
  expected_output: 'output',
  actual_output: 'output',
  metadata: 'metadata',
  score: null,
};

/** A datapoint's kind as it may be stored. */
export function maskDatapoint(masking: MaskingCalls, kind: DatapointKind): DatapointKind {
  const [variant, content] = Object.entries(kind)[0] as [string, Record<string, unknown>];
  return { [variant]: masking.members(content, FIELDS, 'metadata') } as unknown as DatapointKind;
}

/** What a reviewer handed in, as it may be stored: a datapoint's kind, or any other JSON, of which nobody knows what it is. */
export function maskReviewed(masking: MaskingCalls, data: unknown): unknown {
  if (typeof data === 'object' && data !== null) {
    const [member, ...others] = Object.entries(data);
    const isKind = member !== undefined && others.length === 0 && VARIANTS.has(member[0]);
    if (isKind && typeof member[1] === 'object' && member[1] !== null)
      return maskDatapoint(masking, data as DatapointKind);
  }
  return masking.json(data, 'input', 'output');
}

const VARIANTS: ReadonlySet<string> = new Set(['Generic', 'LlmConversation']);
