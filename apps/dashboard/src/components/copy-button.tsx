import { useEffect, useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { notify, notifyError } from './notify.js';
import { copyText } from './save-text.js';

const MARKED_MS = 1_500;

/** Copies a text and says so. */
export function CopyButton({ text, shortcut, children }: { text: string; shortcut?: string; children: ReactNode }) {
  const [isMarked, setIsMarked] = useState(false);
  useEffect(() => {
    if (!isMarked) return undefined;
    const timer = setTimeout(() => setIsMarked(false), MARKED_MS);
    return () => clearTimeout(timer);
  }, [isMarked]);
  const copy = async (): Promise<void> => {
    try {
      await copyText(text);
      setIsMarked(true);
      notify('Copied');
    } catch (error) {
      notifyError('Copying failed', error as Error);
    }
  };
  return (
    <Button
      icon={isMarked ? 'check' : 'copy'}
      onClick={() => void copy()}
      {...(shortcut !== undefined && { shortcut })}
    >
      {children}
    </Button>
  );
}
