/** The words behind `npx spandrel`, as a shell reads them. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)]
    .slice(2)
    .map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, one?: string, two?: string) => one ?? two ?? ''));
}
