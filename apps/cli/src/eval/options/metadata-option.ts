/**
 * Reads what `--metadata` takes, one text for each time that it was given: `commit=3f2c1ab`.
 * @throws Error that says what is wrong: a text without `=` or key, a key that comes twice.
 */
export function readMetadata(texts: readonly string[]): Record<string, string> {
  const metadata = new Map<string, string>();
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined) throw new Error(`"${text}" is not KEY=VALUE`);
    if (metadata.has(key)) throw new Error(`"${key}" comes twice`);
    metadata.set(key, value!);
  }
  return Object.fromEntries(metadata);
}
