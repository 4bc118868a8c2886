import type { KeyboardEvent } from 'react';

/** Articles from one that has the focus, or has it inside. */
const STEPS: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus from article to article, after the ARIA feed pattern; arrows where an article itself has the focus. */
export function onFeedKey(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const isInside =
    event.target instanceof Element && event.target.role !== 'article' && event.target.tagName !== 'ARTICLE';
  if (isInside && event.key.startsWith('Arrow')) return;
  if (focusTurn(event.currentTarget, step)) event.preventDefault();
}

/** Gives the focus to an article of a feed. @param step from the one that has it; the first one where none has. */
export function focusTurn(feed: HTMLElement, step: number): boolean {
  const articles = [...feed.querySelectorAll<HTMLElement>(':scope > article')];
  const from = articles.findIndex((article) => article.contains(document.activeElement));
  const to = articles[from === -1 ? 0 : from + step];
  to?.focus();
  return to !== undefined;
}
