import type { EditorView } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import { createJsonView, selectLine, showFaults, showText, type LineFault } from './create-json-view.js';
import styles from './json-editor.module.css';

/** What others may do with an editor on screen. */
export interface JsonEditorHandle {
  /** Gives the editor the focus with a line selected. */
  goTo(line: number): void;
}

export interface JsonEditorProps {
  label: string;
  text: string;
  /** What is wrong with the text, marked at its lines. */
  faults: readonly LineFault[];
  onChange(text: string): void;
  ref?: Ref<JsonEditorHandle>;
}

/** A field for JSON: lines with numbers, colours, folding, search (Ctrl+F) and faults at their lines. */
export function JsonEditor({ label, text, faults, onChange, ref }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    const made = createJsonView(host.current!, label, (changed) => latest.current(changed));
    view.current = made;
    return () => made.destroy();
  }, [label]);
  useEffect(() => showText(view.current!, text), [text, label]);
  const told = JSON.stringify(faults);
  useEffect(() => showFaults(view.current!, JSON.parse(told) as LineFault[]), [told, text, label]);
  useImperativeHandle(ref, () => ({ goTo: (line) => selectLine(view.current!, line) }), []);
  return <div ref={host} className={styles.editor} />;
}
