export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  density: 'compact' | 'comfortable';
  times: 'local' | 'utc';
  /** Whether keys without Ctrl, Alt or Meta press buttons (WCAG 2.1.4). */
  singleKeys: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  density: 'compact',
  times: 'local',
  singleKeys: true,
};

const CHOICES: { [Name in keyof Preferences]: readonly Preferences[Name][] } = {
  theme: ['system', 'light', 'dark'],
  density: ['compact', 'comfortable'],
  times: ['local', 'utc'],
  singleKeys: [true, false],
};

/** Reads kept preferences; what is missing or not a choice is the default. `public/theme.js` reads the same text. */
export function readPreferences(text: string | null): Preferences {
  const kept = parseObject(text);
  const choose = <Name extends keyof Preferences>(name: Name): Preferences[Name] => {
    const value = kept[name] as Preferences[Name];
    return CHOICES[name].includes(value) ? value : DEFAULT_PREFERENCES[name];
  };
  return {
    theme: choose('theme'),
    density: choose('density'),
    times: choose('times'),
    singleKeys: choose('singleKeys'),
  };
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
