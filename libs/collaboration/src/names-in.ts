/** Behind letters, a dot or a slash it is an address, not somebody. */
const NAMED = /(?<![\p{L}\p{N}_.@/-])@([\p{L}\p{N}]+(?:[._-]+[\p{L}\p{N}]+)*)/gu;
const NAMES_MAX = 20;

/** A markdown text without what stands between marks of code. */
function withoutCode(text: string, mark: string): string {
  const parts = text.split(mark);
  const isOpen = parts.length % 2 === 0;
  return parts.filter((_, at) => at % 2 === 0 || (isOpen && at === parts.length - 1)).join(' ');
}

/** Whom a markdown text names by `@name`, each once, the first 20; what is code names nobody. */
export function namesIn(text: string): string[] {
  const prose = withoutCode(withoutCode(text, '```'), '`');
  return [...new Set([...prose.matchAll(NAMED)].map(([, name]) => name!))].slice(0, NAMES_MAX);
}
