import type { Shortcut } from '../components/shortcuts/shortcut-registry.js';

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
