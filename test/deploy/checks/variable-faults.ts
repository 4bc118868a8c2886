/** A setting that a variable can give, as the parts of the program declare it. */
export interface KnownVariable {
  variable?: string;
  secret?: boolean;
}

/** Variables that are no settings: the second key of `spandrel secrets rotate`, a switch of the tests, a client's key. */
const OTHERS = ['SPANDREL_NEW_SECRET_KEY', 'SPANDREL_NEW_SECRET_KEY_FILE', 'SPANDREL_REQUIRE_SERVICES', 'SPANDREL_KEY'];

/** @returns one line for each variable of a text that the program does not read. */
export function variableFaults(name: string, text: string, known: readonly KnownVariable[]): string[] {
  const names = new Set(OTHERS);
  for (const { variable, secret } of known) {
    if (!variable) continue;
    names.add(variable);
    if (secret) names.add(`${variable}_FILE`);
  }
  const found = new Set(
    [...text.matchAll(/\b(?:SPANDREL_[A-Z0-9_]*[A-Z0-9]|DATABASE_URL\w*|REDIS_URL\w*)\b/g)].map(([word]) => word),
  );
  return [...found].filter((word) => !names.has(word)).map((word) => `${name}: ${word} is no variable of a setting`);
}
