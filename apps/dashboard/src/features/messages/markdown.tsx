import MarkdownToJsx, { type MarkdownToJSX } from 'markdown-to-jsx/react';
import { memo, type ReactNode } from 'react';
import { safeLinkOf } from './message.js';
import styles from './markdown.module.css';

/** Recorded texts are hostile: no HTML, no ids, no images, and links say where they lead. */
const OPTIONS: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  forceBlock: true,
  // What a link leads to is looked at where it is drawn.
  sanitizer: (value) => value,
  overrides: {
    a: { component: MarkdownLink },
    img: { component: MarkdownImage },
    input: { component: MarkdownCheckbox },
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { component: MarkdownHeading }])),
  },
};

/** A text as markdown, single line breaks kept. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={styles.markdown} dir="auto">
      <MarkdownToJsx options={OPTIONS}>{text}</MarkdownToJsx>
    </div>
  );
});

function MarkdownLink({ href, children }: { href?: string; children?: ReactNode }) {
  const link = safeLinkOf(href);
  if (link === null) return <span>{children}</span>;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {children} <span className={styles.host}>({link.leadsTo})</span>
    </a>
  );
}

function MarkdownImage({ src }: { src?: string }) {
  return <span className={styles.notLoaded}>Image not loaded: {src?.slice(0, 300) ?? 'no address'}</span>;
}

/** The headings of a text are none of the page. */
function MarkdownHeading({ children }: { children?: ReactNode }) {
  return <p className={styles.heading}>{children}</p>;
}

function MarkdownCheckbox({ checked }: { checked?: boolean }) {
  return <span>{checked ? '☑ ' : '☐ '}</span>;
}
