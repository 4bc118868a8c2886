import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useShortcutKeys } from '../components/shortcuts/use-shortcuts.js';
import { Banner } from './banner.js';
import { Navigation } from './navigation.js';
import { Notifications } from './notifications.js';
import { useNotedVisits } from './use-visits.js';
import styles from './shell.module.css';

/** What is around every page. */
export function Shell() {
  useShortcutKeys();
  useNotedVisits();
  const main = useRef<HTMLElement>(null);
  useFocusOfNewPage(main);
  return (
    <div className={styles.shell}>
      <a
        href="#content"
        className={styles.skip}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <Banner />
      <Navigation />
      <main id="content" ref={main} tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <Notifications />
    </div>
  );
}

/** A link that opened a page is gone with the page before: the focus goes to the new heading then, instead of nowhere. */
function useFocusOfNewPage(main: { readonly current: HTMLElement | null }): void {
  const { pathname } = useLocation();
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    main.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, [main, pathname]);
}
