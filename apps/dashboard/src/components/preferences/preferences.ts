/** The choices of each preference, the usual one first. */
const CHOICES = {
  theme: ['system', 'light', 'dark'],
  density: ['compact', 'comfortable'],
  times: ['local', 'utc'],
  /** Whether keys without Ctrl, Alt or Meta press buttons (WCAG 2.1.4). */
  singleKeys: [true, false],
} as const;

type Choices = Readonly<Record<string, readonly unknown[]>>;
type Chosen<Of extends Choices> = { [Name in keyof Of]: Of[Name][number] };

export type Preferences = Chosen<typeof CHOICES>;

/** Reads what was chosen; what is missing or not a choice is the first of them. @param text JSON that is kept. */
export function readChoices<Of extends Choices>(choices: Of, text: string | null): Chosen<Of> {
  const kept = parseObject(text);
  return Object.fromEntries(
    Object.entries(choices).map(([name, offered]) => [name, offered.find((one) => one === kept[name]) ?? offered[0]]),
  ) as Chosen<Of>;
}

/** Reads kept preferences. `public/theme.js` reads the same text. */
export const readPreferences = (text: string | null): Preferences => readChoices(CHOICES, text);

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
