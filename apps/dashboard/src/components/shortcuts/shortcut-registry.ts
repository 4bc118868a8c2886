import { Store } from '../store.js';

/** A key, or keys one after another, that do what a button does. */
export interface Shortcut {
  /** `?`, `j`, `g t` for one after the other, `mod+k` with Ctrl or ⌘; empty for what the command menu alone does. */
  keys: string;
  /** What it does, in the words of its button. */
  label: string;
  /** Heading in the list of shortcuts: the page or the part it belongs to. */
  group: string;
  /** Whether it changes something: it is not there for those who may only read. */
  writes?: boolean;
  run(): void;
}

export interface PressedKey {
  key: string;
  isModified: boolean;
  isAltered: boolean;
  /** Milliseconds, by any clock that goes forward. */
  at: number;
  /** Whether the key would be typed into a field. */
  isTyping: boolean;
}

/** Longest pause between the keys of one shortcut. */
const SEQUENCE_MS = 1_500;

/** The shortcuts of what is on screen. Where two have the same keys, the one that came last is pressed. */
export class ShortcutRegistry extends Store<readonly Shortcut[]> {
  private prefix: { keys: string; at: number } | null = null;

  constructor() {
    super([]);
  }

  /** @returns takes the shortcut away again. */
  register(shortcut: Shortcut): () => void {
    this.set([...this.get(), shortcut]);
    return () => this.set(this.get().filter((other) => other !== shortcut));
  }

  /**
   * Runs the shortcut of a key.
   * @param withSingleKeys whether keys without Ctrl or ⌘ count.
   * @returns whether the key was one, or began one, so that the browser is to leave it alone.
   */
  press(pressed: PressedKey, withSingleKeys: boolean): boolean {
    const prefix = this.takePrefix(pressed.at);
    if (pressed.isAltered) return false;
    if (!pressed.isModified && (pressed.isTyping || !withSingleKeys)) return false;
    const key = pressed.isModified ? `mod+${pressed.key.toLowerCase()}` : pressed.key;
    const keys = prefix === null ? key : `${prefix} ${key}`;
    const shortcut = this.find(keys) ?? this.find(key);
    if (shortcut !== undefined) {
      shortcut.run();
      return true;
    }
    if (!this.get().some((other) => other.keys.startsWith(`${key} `))) return false;
    this.prefix = { keys: key, at: pressed.at };
    return true;
  }

  private takePrefix(at: number): string | null {
    const prefix = this.prefix;
    this.prefix = null;
    return prefix !== null && at - prefix.at <= SEQUENCE_MS ? prefix.keys : null;
  }

  private find(keys: string): Shortcut | undefined {
    return this.get().findLast((shortcut) => shortcut.keys === keys);
  }
}
