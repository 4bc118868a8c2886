import { Dialog } from '../components/dialog.js';
import type { Shortcut } from '../components/shortcuts/shortcut-registry.js';
import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import { LIST_KEYS } from './list-keys.js';
import styles from './shortcut-dialog.module.css';

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
