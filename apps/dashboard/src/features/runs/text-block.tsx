import styles from './text-block.module.css';

/** A recorded text as it is, which scrolls when it is long. */
export function TextBlock({ name, text }: { name: string; text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
    <pre role="group" aria-label={name} tabIndex={0} className={styles.text} dir="auto">
      {text}
    </pre>
  );
}
