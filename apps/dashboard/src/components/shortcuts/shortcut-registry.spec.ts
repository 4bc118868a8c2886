import { describe, expect, it, jest } from '@jest/globals';
import { ShortcutRegistry, type PressedKey } from './shortcut-registry.js';

const pressed = (key: string, facts: Partial<PressedKey> = {}): PressedKey => ({
  key,
  isModified: false,
  isAltered: false,
  at: 0,
  isTyping: false,
  ...facts,
});

function registryOf(...keys: string[]) {
  const registry = new ShortcutRegistry();
  const runs = keys.map((one) => {
    const run = jest.fn();
    registry.register({ keys: one, label: one, group: 'Test', run });
    return run;
  });
  return { registry, runs };
}

describe('ShortcutRegistry', () => {
  it('runs single keys and keys one after another', () => {
    const { registry, runs } = registryOf('j', 'g t');
    expect(registry.press(pressed('j'), true)).toBe(true);
    expect(registry.press(pressed('g', { at: 10 }), true)).toBe(true);
    expect(registry.press(pressed('t', { at: 20 }), true)).toBe(true);
    expect(runs.map((run) => run.mock.calls.length)).toEqual([1, 1]);
  });

  it('forgets the first key after a pause, and after a key that does not follow', () => {
    const { registry, runs } = registryOf('g t', 'j');
    registry.press(pressed('g', { at: 0 }), true);
    expect(registry.press(pressed('t', { at: 1_501 }), true)).toBe(false);
    registry.press(pressed('g', { at: 2_000 }), true);
    expect(registry.press(pressed('j', { at: 2_001 }), true)).toBe(true);
    expect(registry.press(pressed('t', { at: 2_002 }), true)).toBe(false);
    expect(runs.map((run) => run.mock.calls.length)).toEqual([0, 1]);
  });

  it('lets text fields have their keys, but not those with Ctrl', () => {
    const { registry, runs } = registryOf('j', 'mod+k');
    expect(registry.press(pressed('j', { isTyping: true }), true)).toBe(false);
    expect(registry.press(pressed('K', { isTyping: true, isModified: true }), true)).toBe(true);
    expect(runs.map((run) => run.mock.calls.length)).toEqual([0, 1]);
  });

  it('leaves single keys alone where they are switched off', () => {
    const { registry, runs } = registryOf('j', 'mod+k');
    expect(registry.press(pressed('j'), false)).toBe(false);
    expect(registry.press(pressed('k', { isModified: true }), false)).toBe(true);
    expect(runs[0]).not.toHaveBeenCalled();
  });

  it('presses what came last, and the one before once that is gone', () => {
    const { registry, runs } = registryOf('j');
    const run = jest.fn();
    const unregister = registry.register({ keys: 'j', label: 'j', group: 'Test', run });
    registry.press(pressed('j'), true);
    unregister();
    registry.press(pressed('j'), true);
    expect(run).toHaveBeenCalledTimes(1);
    expect(runs[0]).toHaveBeenCalledTimes(1);
  });

  it('ignores keys with Alt', () => {
    const { registry } = registryOf('j');
    expect(registry.press(pressed('j', { isAltered: true }), true)).toBe(false);
  });
});
