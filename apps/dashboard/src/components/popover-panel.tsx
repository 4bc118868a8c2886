import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.js';
import styles from './popover-panel.module.css';

export interface PopoverPanelProps extends Pick<ButtonProps, 'icon' | 'variant'> {
  /** Name of the button, and of the group that it opens. */
  label: string;
  children: ReactNode;
}

/** A button and the group of controls that it opens below itself. Escape and a press elsewhere close it. */
export function PopoverPanel({ label, children, ...button }: PopoverPanelProps) {
  const [isOpen, setIsOpen] = useState(false);
  const wrapper = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const pressElsewhere = (event: PointerEvent): void => {
      if (!wrapper.current?.contains(event.target as Node)) setIsOpen(false);
    };
    document.addEventListener('pointerdown', pressElsewhere);
    return () => document.removeEventListener('pointerdown', pressElsewhere);
  }, [isOpen]);
  return (
    // The key is heard here wherever inside the focus is.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={wrapper}
      className={styles.wrapper}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        setIsOpen(false);
        opener.current?.focus();
      }}
    >
      <Button
        {...button}
        ref={opener}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': id })}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && (
        <div id={id} role="group" aria-label={label} className={styles.panel}>
          {children}
        </div>
      )}
    </div>
  );
}
