import type { Preferences } from '../components/preferences/preferences.js';
import type { Shortcut } from '../components/shortcuts/shortcut-registry.js';
import type { Visit } from './use-visits.js';

export interface Command {
  id: string;
  label: string;
  group: string;
  keys?: string;
  run(): void;
}

/** Where commands come from. */
export interface CommandSources {
  /** What is typed. */
  text: string;
  shortcuts: readonly Shortcut[];
  /** What the API found by its name. */
  found?: readonly { group: string; label: string; address: string }[];
  visits: readonly Visit[];
  preferences: Preferences;
  open(address: string): void;
  openId(id: string): void;
  prefer(changes: Partial<Preferences>): void;
}

/** Every command that contains what is typed, in the order of the menu. An id can be opened whatever it contains. */
export function commandsFor(sources: CommandSources): Command[] {
  const typed = sources.text.trim();
  const words = typed.toLowerCase().split(/\s+/);
  const matching = [...actions(sources), ...lastVisited(sources), ...choices(sources)].filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const found = (sources.found ?? []).map(({ group, label, address }) => ({
    ...{ id: `found ${address}`, label, group, run: () => sources.open(address) },
  }));
  const byId = looksLikeId(typed) ? [openId(typed, sources)] : [];
  // What is called as typed is more likely meant than an id.
  return found.length > 0 ? [...matching, ...found, ...byId] : [...byId, ...matching];
}

/** Ids that clients choose have letters, digits and a few marks; a word of a command is shorter. */
function looksLikeId(text: string): boolean {
  return /^[\w.:-]{6,128}$/.test(text);
}

function openId(id: string, sources: CommandSources): Command {
  return {
    id: `id ${id}`,
    label: `Open the trace, span, dataset or run ${id}`,
    group: 'IDs',
    run: () => sources.openId(id),
  };
}

function actions({ shortcuts }: CommandSources): Command[] {
  const byLabel = new Map(shortcuts.map((shortcut) => [shortcut.label, shortcut]));
  return [...byLabel.values()].map(({ label, keys, group, run }) => ({ id: `do ${label}`, label, keys, group, run }));
}

function lastVisited({ visits, open }: CommandSources): Command[] {
  return visits.map(({ address, title }) => ({
    id: `visit ${address}`,
    label: title,
    group: 'Last visited',
    run: () => open(address),
  }));
}

function choices({ preferences, prefer }: CommandSources): Command[] {
  const all: [string, Partial<Preferences>][] = [
    ['Theme: System', { theme: 'system' }],
    ['Theme: Light', { theme: 'light' }],
    ['Theme: Dark', { theme: 'dark' }],
    ['Density: Compact', { density: 'compact' }],
    ['Density: Comfortable', { density: 'comfortable' }],
    ['Times: Local', { times: 'local' }],
    ['Times: UTC', { times: 'utc' }],
    ['Single-key shortcuts: On', { singleKeys: true }],
    ['Single-key shortcuts: Off', { singleKeys: false }],
  ];
  return all
    .filter(([, changes]) =>
      Object.entries(changes).some(([name, value]) => preferences[name as keyof Preferences] !== value),
    )
    .map(([label, changes]) => ({ id: label, label, group: 'Appearance and keys', run: () => prefer(changes) }));
}
