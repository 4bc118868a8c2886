import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../components/button.js';
import { Icon, type IconName } from '../components/icon.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import styles from './shell.module.css';

const PAGE_LINKS = [
  { to: '/traces', label: 'Traces', keys: 'g t', icon: 'traces' },
  { to: '/sessions', label: 'Sessions', keys: 'g s', icon: 'sessions' },
  { to: '/users', label: 'Users', keys: 'g u', icon: 'users' },
  { to: '/spans', label: 'Spans', keys: 'g p', icon: 'spans' },
  { to: '/analytics', label: 'Analytics', keys: 'g a', icon: 'analytics' },
  { to: '/boards', label: 'Boards', keys: 'g b', icon: 'columns' },
  { to: '/alerts', label: 'Alerts', keys: 'g l', icon: 'bell' },
  { to: '/datasets', label: 'Datasets', keys: 'g d', icon: 'table' },
  { to: '/evaluations', label: 'Evaluations', keys: 'g e', icon: 'evaluations' },
  { to: '/review', label: 'Review', keys: 'g r', icon: 'check' },
  { to: '/scoring-rules', label: 'Scoring rules', keys: 'g o', icon: 'scoring' },
  { to: '/connections', label: 'Connections', keys: 'g c', icon: 'connections' },
  { to: '/events', label: 'Events', keys: 'g v', icon: 'live' },
  { to: '/settings', label: 'Settings', keys: 'g ,', icon: 'settings' },
] as const satisfies readonly PageLink[];

interface PageLink {
  to: string;
  label: string;
  /** One key after the other that leads there. */
  keys: string;
  icon: IconName;
}

/** Links to the pages. On narrow screens they are behind a button. */
export function Navigation() {
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  useShortcuts(
    PAGE_LINKS.map(({ to, label, keys }) => ({
      keys,
      label: `Go to ${label}`,
      group: 'Pages',
      run: () => void navigate({ to }),
    })),
  );
  return (
    // The key is heard here wherever inside the focus is.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav
      aria-label="Main"
      className={styles.navigation}
      data-open={isOpen || undefined}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <Button icon="menu" className={styles.menu} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Menu
      </Button>
      <ul>
        {PAGE_LINKS.map(({ to, label, keys, icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ includeSearch: false }} className={styles.pageLink} onClick={close}>
              <Icon name={icon} />
              {label}
              <kbd aria-hidden="true">{keys}</kbd>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
