import { describe, expect, it } from '@jest/globals';
import type { AuditAction } from '@spandrel/contract';
import { AccessMemory, Batch } from './access-memory.js';

function newMemory() {
  let listener: (actions: ReadonlySet<AuditAction>) => void = () => undefined;
  const access = new AccessMemory({ onRecorded: (given) => void (listener = given) });
  return { access, recorded: (...actions: AuditAction[]) => listener(new Set(actions)) };
}

describe('what a server remembers of access', () => {
  it.each<AuditAction>([
    ...(['key.deleted', 'key.updated', 'key.suspended', 'session.deleted', 'session.updated'] as const),
    ...(['member.updated', 'member.deleted', 'project.deletion_begun', 'org.updated', 'org.deletion_begun'] as const),
  ])('is forgotten with %s', async (action) => {
    const { access, recorded } = newMemory();
    const memories = [access.newMemory<string>(), access.newMemory<string>()];
    let forgotten = 0;
    access.onForgotten(() => void forgotten++);
    for (const memory of memories) await memory.get('a', async () => 'before');
    recorded('trace.deleted', action);
    expect(forgotten).toBe(1);
    for (const memory of memories) expect(await memory.get('a', async () => 'after')).toBe('after');
  });

  it('stays with acts that change nobody’s access', async () => {
    const { access, recorded } = newMemory();
    const memory = access.newMemory<string>();
    await memory.get('a', async () => 'before');
    recorded('trace.deleted', 'project.exported', 'session.created');
    expect(await memory.get('a', async () => 'after')).toBe('before');
  });

  it('is not filled by a look-up that began before the change', async () => {
    const { access, recorded } = newMemory();
    const memory = access.newMemory<string>();
    const slow = Promise.withResolvers<string>();
    const first = memory.get('a', () => slow.promise);
    recorded('key.deleted');
    expect(await memory.get('a', async () => 'after')).toBe('after');
    slow.resolve('before');
    expect(await first).toBe('before');
    expect(await memory.get('a', async () => 'later')).toBe('after');
  });
});

describe('a batch', () => {
  it('asks once for all of one turn, each key once', async () => {
    const asked: (readonly string[])[] = [];
    const batch = new Batch(
      async (keys) => {
        asked.push(keys);
        return keys.filter((key) => key !== 'b').map((key) => ({ key }));
      },
      ({ key }) => key,
    );
    expect(await Promise.all(['a', 'b', 'a', 'c'].map((key) => batch.find(key)))).toEqual([
      { key: 'a' },
      undefined,
      { key: 'a' },
      { key: 'c' },
    ]);
    expect(await batch.find('a')).toEqual({ key: 'a' });
    expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('fails for all of a turn, and for no later one', async () => {
    let fails = true;
    const batch = new Batch<string>(
      async (keys) => {
        if (fails) throw new Error('no database');
        return [...keys];
      },
      (key) => key,
    );
    const both = await Promise.allSettled([batch.find('a'), batch.find('b')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await batch.find('a')).toBe('a');
  });
});
