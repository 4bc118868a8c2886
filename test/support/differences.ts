/**
 * Where an answer is not what is expected of it: members may be missing in what is expected, and numbers differ by `tolerance`.
 * @returns a line for each place, with what was answered there.
 */
export const differences = (expected: unknown, answered: unknown, tolerance: number): string[] => [
  ...differencesAt(expected, answered, tolerance, ''),
];

function* differencesAt(expected: unknown, answered: unknown, tolerance: number, path: string): Generator<string> {
  if (typeof expected === 'number' && typeof answered === 'number') {
    // Not a number is no difference to itself alone.
    if (!(Math.abs(expected - answered) <= tolerance)) yield `${path}: ${answered}, not ${expected}`;
  } else if (isObject(expected) && isObject(answered)) {
    if (Array.isArray(expected) && (answered as unknown as unknown[]).length !== expected.length) {
      yield `${path}: of another length`;
    }
    for (const [name, member] of Object.entries(expected)) {
      yield* differencesAt(member, answered[name], tolerance, `${path}.${name}`);
    }
  } else if (expected !== answered) {
    yield `${path}: ${JSON.stringify(answered)}, not ${JSON.stringify(expected)}`;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
