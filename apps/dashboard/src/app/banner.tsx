import { Link } from '@tanstack/react-router';
import { CommandMenu } from './command-menu.js';
import { LiveStatus } from './live-status.js';
import { ShortcutList } from './shortcut-list.js';
import styles from './shell.module.css';

/** The line above every page. */
export function Banner() {
  return (
    <header className={styles.banner}>
      <Link to="/traces" className={styles.brand}>
        <img src="/icon.svg" alt="" width={20} height={20} />
        Spandrel
      </Link>
      <span className={styles.spacer} />
      <LiveStatus />
      <CommandMenu />
      <ShortcutList />
    </header>
  );
}
