import type { IconName } from '../components/icon.js';

/** The pages of the navigation, in its order. */
export const PAGE_LINKS = [
  { to: '/traces', label: 'Traces', keys: 'g t', icon: 'traces' },
  { to: '/sessions', label: 'Sessions', keys: 'g s', icon: 'sessions' },
  { to: '/spans', label: 'Spans', keys: 'g p', icon: 'spans' },
  { to: '/analytics', label: 'Analytics', keys: 'g a', icon: 'analytics' },
  { to: '/datasets', label: 'Datasets', keys: 'g d', icon: 'table' },
  { to: '/evaluations', label: 'Evaluations', keys: 'g e', icon: 'evaluations' },
  { to: '/review', label: 'Review', keys: 'g r', icon: 'check' },
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
