import { Icon } from '../components/icon.js';
import { useLiveState } from '../live/live-updates.js';
import styles from './shell.module.css';

const WORDS = { live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' } as const;

/** Whether the pages hear of changes. */
export function LiveStatus() {
  const state = useLiveState();
  return (
    <span role="status" aria-label="Live updates" className={styles.live} data-state={state}>
      <Icon name="live" />
      {WORDS[state]}
    </span>
  );
}
