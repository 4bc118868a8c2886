import { describe, expect, it } from '@jest/globals';
import type { StoredTexts } from './log-members.js';
import { StoredLook } from './stored-look.js';

const stored = (units: number): StoredTexts => ({ input: 'x'.repeat(units), output: null, metadata: null });

/** Looks at spans in transactions as a database would, and notes what each was answered. */
async function looked(spans: StoredTexts[], isSmall = true): Promise<string[][]> {
  const logged: string[][] = [];
  const items = spans.map((span) => ({
    span,
    look: new StoredLook(
      () => isSmall,
      async ({ input }) => ({ input, output: null, metadata: { read: true } }),
    ),
  }));
  await StoredLook.all(items, async (some, room) => {
    logged.push(some.map(({ span, look }) => look.at(span, room)));
  });
  return logged;
}

describe('looks at stored spans', () => {
  it('are within one transaction while these are small together', async () => {
    expect(await looked([stored(30_000), stored(30_000)])).toEqual([['now', 'now']]);
    expect(await looked([stored(30_000), stored(30_000), stored(30_000), stored(30_000)])).toEqual([
      ['now', 'now', 'later', 'later'],
      ['now', 'now'],
    ]);
  });

  it('are in a thread where one is large, or what it is merged with', async () => {
    expect(await looked([stored(1_000_000), stored(1)])).toEqual([['later', 'now'], ['read']]);
    expect(await looked([stored(1)], false)).toEqual([['later'], ['read']]);
  });

  it('are done again where the span has changed meanwhile', async () => {
    const span = { ...stored(100_000) };
    let reads = 0;
    const look = new StoredLook(
      () => true,
      async () => {
        if (++reads === 1) span.input += 'y';
        return undefined;
      },
    );
    const logged: string[] = [];
    await StoredLook.all([{ look }], async (_some, room) => void logged.push(look.at(span, room)));
    expect([logged, reads]).toEqual([['later', 'later', 'read'], 2]);
  });

  it('are none where no transaction asks', async () => {
    let transactions = 0;
    const look = new StoredLook(
      () => true,
      async () => undefined,
    );
    await StoredLook.all([{ look }], async () => void transactions++);
    expect(transactions).toBe(1);
  });
});
