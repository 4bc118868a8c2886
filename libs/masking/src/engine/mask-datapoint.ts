import type { DatapointKind, MaskedField } from '@spandrel/contract';
import type { Masking } from './masking.js';

/** The field of each member of a datapoint; all others are metadata. */
const FIELDS: Readonly<Record<string, MaskedField>> = {
  input: 'input',
  messages: 'input',
  expected: 'output',
  expected_output: 'output',
  actual_output: 'output',
};

/** A datapoint's kind as it may be stored. */
export function maskDatapoint(masking: Masking, kind: DatapointKind): DatapointKind {
  const [variant, content] = Object.entries(kind)[0] as [string, Record<string, unknown>];
  const masked = Object.entries(content).map(([name, value]) => {
    if (name === 'score') return [name, value];
    const field = FIELDS[name] ?? 'metadata';
    if (Object.hasOwn(FIELDS, name) || name === 'metadata') return [name, masking.json(value, field)];
    // The name of a member that only its sender knows may hold a value too.
    return Object.entries(masking.json({ [name]: value }, field))[0]!;
  });
  return { [variant]: Object.fromEntries(masked) } as unknown as DatapointKind;
}

/** What a reviewer handed in, as it may be stored: a datapoint's kind, or any other JSON, of which nobody knows what it is. */
export function maskReviewed(masking: Masking, data: unknown): unknown {
  if (typeof data === 'object' && data !== null) {
    const [member, ...others] = Object.entries(data);
    const isKind = member !== undefined && others.length === 0 && VARIANTS.has(member[0]);
    if (isKind && typeof member[1] === 'object' && member[1] !== null)
      return maskDatapoint(masking, data as DatapointKind);
  }
  return masking.json(masking.json(data, 'input'), 'output');
}

const VARIANTS: ReadonlySet<string> = new Set(['Generic', 'LlmConversation']);
