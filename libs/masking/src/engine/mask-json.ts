import { TextMasker } from './text-masker.js';

/** Names of members by which Spandrel and its clients know what is what: they hold no value and stay. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...['arguments', 'attributes', 'content', 'events', 'expected', 'expected_output', 'actual_output', 'finish_reason'],
  ...[
    'function',
    'id',
    'index',
    'input',
    'messages',
    'metadata',
    'model',
    'name',
    'otel',
    'output',
    'parts',
    'provider',
  ],
  ...['request', 'resource', 'role', 'scope', 'score', 'text', 'tool_call_id', 'tool_calls', 'type', 'links', 'error'],
]);

/**
 * A JSON value with its texts masked, its numbers where a rule looks at them, and names of members that hold a value. What has
 * none is given back by reference; nothing is changed in place, and own `__proto__` members survive.
 */
export function maskJson(value: unknown, masker: TextMasker): unknown {
  if (typeof value === 'string') return masker.mask(value);
  if (typeof value === 'number') return masker.masksNumbers ? (masker.maskNumber(String(value)) ?? value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (JSON.isRawJSON(value)) return maskRaw(value as { rawJSON: string }, masker);
  return Array.isArray(value) ? maskList(value, masker) : maskObject(value, masker);
}

const maskRaw = (value: { rawJSON: string }, masker: TextMasker): unknown =>
  masker.masksNumbers ? (masker.maskNumber(value.rawJSON) ?? value) : value;

function maskList(list: readonly unknown[], masker: TextMasker): readonly unknown[] {
  let masked: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const after = maskJson(item, masker);
    if (after !== item) (masked ??= [...list])[index] = after;
  }
  return masked ?? list;
}

function maskObject(object: object, masker: TextMasker): object {
  const members = Object.entries(object);
  let changed = false;
  for (const member of members) {
    const [name, value] = member;
    const after = maskJson(value, masker);
    const named = STRUCTURE.has(name) ? name : masker.mask(name);
    if (after === value && named === name) continue;
    changed = true;
    member[0] = named;
    member[1] = after;
  }
  return changed ? Object.fromEntries(unlike(members)) : object;
}

/** Members whose names became equal are told apart by a number. */
function unlike(members: [string, unknown][]): [string, unknown][] {
  const taken = new Set<string>();
  return members.map(([name, value]) => {
    let own = name;
    for (let count = 2; taken.has(own); count++) own = `${name} ${count}`;
    taken.add(own);
    return [own, value];
  });
}
