import { lazy, Suspense } from 'react';
import styles from './messages.module.css';

const Markdown = lazy(async () => ({ default: (await import('./markdown.js')).Markdown }));

/** A text as markdown. Few readers ask for it, so that its code is fetched then; meanwhile the text is there as it is. */
export function ShownMarkdown({ text }: { text: string }) {
  const plain = (
    <div className={styles.text} data-wraps={true} dir="auto">
      {text}
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
