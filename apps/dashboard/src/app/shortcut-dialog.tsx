import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import type { Shortcut } from '../components/shortcuts/shortcut-registry.js';
import { Dialog } from '../components/dialog.js';
import styles from './shortcut-dialog.module.css';

/** Keys that lists and dialogs hear themselves, for the list of shortcuts. */
export const LIST_KEYS: readonly Pick<Shortcut, 'keys' | 'label' | 'group'>[] = [
  { keys: '↓', label: 'Next row', group: 'Lists' },
  { keys: '↑', label: 'Previous row', group: 'Lists' },
  { keys: '← →', label: 'From header to header, above the first row', group: 'Lists' },
  { keys: 'Home', label: 'First row', group: 'Lists' },
  { keys: 'End', label: 'Last row', group: 'Lists' },
  { keys: 'PageDown', label: 'A page further', group: 'Lists' },
  { keys: 'PageUp', label: 'A page back', group: 'Lists' },
  { keys: 'Enter', label: 'Open the row', group: 'Lists' },
  { keys: 'Esc', label: 'Close, or go back to the list', group: 'Everywhere' },
];

/** The list of the keys that can be pressed now. */
export function ShortcutDialog({ onClose }: { onClose(): void }) {
  const shortcuts = [...useShortcutList(), ...LIST_KEYS].filter(({ keys }) => keys !== '');
  const groups = Map.groupBy(shortcuts, ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles.groups}>
        {[...groups].map(([group, members]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl className={styles.keys}>
              {members.map((shortcut) => (
                <div key={shortcut.keys}>
                  <dt>{shortcut.label}</dt>
                  <dd>
                    <Keys keys={shortcut.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Keys({ keys }: Pick<Shortcut, 'keys'>) {
  return keys.split(' ').map((key) => <kbd key={key}>{key.replace('mod+', 'Ctrl or ⌘ ')}</kbd>);
}
