import { useEffectEvent, useLayoutEffect } from 'react';
import { useMayWrite } from '../button.js';
import { useStore } from '../store.js';
import { preferences } from '../preferences/use-preferences.js';
import { ShortcutRegistry, type Shortcut } from './shortcut-registry.js';

const registry = new ShortcutRegistry();

/** Keys of a part of the page, pressed as long as it is on screen. @param offered keys and labels stay, what they run may change. */
export function useShortcuts(offered: readonly Shortcut[]): void {
  const mayWrite = useMayWrite();
  const shortcuts = mayWrite ? offered : offered.filter(({ writes }) => !writes);
  const run = useEffectEvent((keys: string, label: string) =>
    shortcuts.find((shortcut) => shortcut.keys === keys && shortcut.label === label)?.run(),
  );
  const register = useEffectEvent(() =>
    shortcuts.map(({ keys, label, group }) =>
      registry.register({ keys, label, group, run: () => void run(keys, label) }),
    ),
  );
  const identity = shortcuts.map(({ keys, label, group }) => `${keys}\n${label}\n${group}`).join('\n\n');
  useLayoutEffect(() => {
    const unregister = register();
    return () => {
      for (const one of unregister) one();
    };
  }, [identity]);
}

/** Every shortcut that can be pressed now. */
export function useShortcutList(): readonly Shortcut[] {
  return useStore(registry);
}

/** Listens to the keys of the page; the shell does this once. */
export function useShortcutKeys(): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const { altKey, timeStamp } = event;
      const key = event.key === ' ' ? 'Space' : event.key;
      const isModified = event.ctrlKey || event.metaKey;
      // A modal dialog has the page behind it: only keys with Ctrl reach beyond.
      // The target of a key within a shadow root is its host for everybody outside.
      const isTyping =
        takesKey(event.composedPath()[0] ?? null, key) || document.querySelector('dialog:modal') !== null;
      const facts = { key, isModified, isAltered: altKey, at: timeStamp, isTyping };
      if (registry.press(facts, preferences.get().singleKeys)) event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const TYPED_INTO = 'input, textarea, [contenteditable="true"], [role="menu"], [role="listbox"], [role="slider"]';
/** What the space bar presses or opens. */
const PRESSED = 'button, a, summary, input';
const NOT_TYPED_INTO = 'input[type="checkbox"], input[type="radio"], input[type="button"]';

function takesKey(target: EventTarget | null, key: string): boolean {
  if (target instanceof HTMLSelectElement) return key === 'Space' || chooses(target, key);
  if (key === 'Space' && target instanceof Element && target.closest(PRESSED) !== null) return true;
  return target instanceof Element && target.closest(TYPED_INTO) !== null && !target.matches(NOT_TYPED_INTO);
}

/** A letter chooses the option that begins with it; one that chooses nothing is free for shortcuts. */
function chooses({ options }: HTMLSelectElement, key: string): boolean {
  return [...options].some(({ text }) => text.toLowerCase().startsWith(key.toLowerCase()));
}
