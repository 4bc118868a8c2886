import { Link, useNavigate } from '@tanstack/react-router';
import { Icon } from '../components/icon.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { PAGE_LINKS } from './page-links.js';
import styles from './shell.module.css';

/** Links to the pages. */
export function Navigation() {
  const navigate = useNavigate();
  useShortcuts(
    PAGE_LINKS.map(({ to, label, keys }) => ({
      keys,
      label: `Go to ${label}`,
      group: 'Pages',
      run: () => void navigate({ to }),
    })),
  );
  return (
    <nav aria-label="Main" className={styles.navigation}>
      <ul>
        {PAGE_LINKS.map(({ to, label, keys, icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ includeSearch: false }} className={styles.pageLink}>
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
