import { useEffect, useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { notify, notifyError } from './notify.js';

/** The mark that something was copied stays this long. */
const MARKED_MS = 1_500;

interface CopyButtonProps {
  text: string;
  shortcut?: string;
  children: ReactNode;
}

/** Copies a text and says so. */
export function CopyButton({ text, shortcut, children }: CopyButtonProps) {
  const [isMarked, setIsMarked] = useState(false);
  useEffect(() => {
    if (!isMarked) return undefined;
    const timer = setTimeout(() => setIsMarked(false), MARKED_MS);
    return () => clearTimeout(timer);
  }, [isMarked]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsMarked(true);
      notify('Copied');
    } catch (error) {
      notifyError('Could not copy', error as Error);
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
