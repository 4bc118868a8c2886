import { defaultKeymap, historyKeymap, history } from '@codemirror/commands';
import {
  foldKeymap,
  bracketMatching,
  foldGutter,
  indentOnInput,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { searchKeymap, highlightSelectionMatches, search } from '@codemirror/search';
import { lintKeymap, lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react';
import { flushSync } from 'react-dom';
import { json } from '@codemirror/lang-json';
import { EditorState, type Text } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import styles from './json-editor.module.css';

export interface JsonEditorHandle {
  /** Gives the editor the focus with a line selected. */
  goTo(line: number): void;
}

export interface JsonEditorProps {
  label: string;
  text: string;
  faults: readonly LineFault[];
  onChange(text: string): void;
  ref?: Ref<JsonEditorHandle>;
}

/** A field for JSON: lines with numbers, colours, folding, search (Ctrl+F) and faults at their lines. */
export function JsonEditor({ label, text, faults, onChange, ref }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const onEdit = useEffectEvent(onChange);
  // What is typed is known to all before the next key.
  useLayoutEffect(() => {
    const made = createJsonView(host.current!, label, (changed) => flushSync(() => onEdit(changed)));
    view.current = made;
    return () => made.destroy();
  }, [label]);
  useLayoutEffect(() => showText(view.current!, text), [text, label]);
  const written = JSON.stringify(faults);
  useLayoutEffect(() => showFaults(view.current!, JSON.parse(written) as LineFault[]), [written, text, label]);
  useImperativeHandle(ref, () => ({ goTo: (line) => selectLine(view.current!, line) }), []);
  return <div ref={host} className={styles.editor} />;
}

export interface LineFault {
  /** Counts from 1; `null` where the fault has no place. */
  line: number | null;
  message: string;
}

/**
 * An editor of JSON within an element. It lives in a shadow root, where its style sheets need no place in the page, which
 * the policy of the page would forbid. Tab leaves it.
 * @param onChange called with the text after a change by hand, and not by {@link showText}.
 */
export function createJsonView(host: HTMLElement, label: string, onChange: (text: string) => void): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  return new EditorView({
    root,
    parent: root,
    extensions: [
      ...[lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching()],
      ...[highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), json(), JSON_EDITOR_THEME],
      keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap, ...lintKeymap]),
      EditorState.tabSize.of(2),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        const isByHand = transactions.some((one) => one.docChanged && !one.isUserEvent(SHOWN));
        if (docChanged && isByHand) onChange(state.doc.toString());
      }),
    ],
  });
}

/** Marks a change that came from outside. */
const SHOWN = 'shown';

/** Shows a text in place of the one there is; nothing where it is the same. */
export function showText(view: EditorView, text: string): void {
  const { doc } = view.state;
  if (doc.length === text.length && doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, userEvent: SHOWN });
}

/** Marks the lines with faults; a fault without a line marks none. */
export function showFaults(view: EditorView, faults: readonly LineFault[]): void {
  const diagnostics = faults.flatMap(({ line, message }): Diagnostic[] =>
    line === null ? [] : [{ ...rangeOfLine(view.state.doc, line), severity: 'error', message }],
  );
  view.dispatch(setDiagnostics(view.state, diagnostics));
  view.contentDOM.setAttribute('aria-invalid', String(faults.length > 0));
}

/** Gives the editor the focus with a line selected. */
export function selectLine(view: EditorView, line: number): void {
  const { from, to } = rangeOfLine(view.state.doc, line);
  view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
  view.focus();
}

/** A line without the blanks before it. */
function rangeOfLine(doc: Text, line: number): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return { from: from + text.length - text.trimStart().length, to };
}

/** Looks of the editor, by the tokens of the page: its own style sheets do not reach into a shadow root, their values do. */
const LOOKS = EditorView.theme({
  '&': { backgroundColor: 'var(--surface-1)', color: 'var(--text-1)', height: '100%' },
  // The element around it shows the focus, gutters included.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '12px', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text-1)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text-1)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-1)', borderRight: '1px solid var(--line)', color: 'var(--text-2)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--surface-2)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--surface-2)', borderColor: 'var(--line)', color: 'var(--text-2)' },
  '.cm-searchMatch': { backgroundColor: 'var(--surface-2)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selected)', outline: '1px solid var(--focus)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--surface-2)' },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--surface-1)',
    borderColor: 'var(--line-strong)',
    color: 'var(--text-1)',
  },
  '.cm-panel button, .cm-panel .cm-textfield': {
    backgroundColor: 'var(--surface-1)',
    backgroundImage: 'none',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--text-1)',
    minHeight: '24px',
  },
  '.cm-panel label': { alignItems: 'center', display: 'inline-flex', gap: '4px', minHeight: '24px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--status-failed)' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--kind-1)' },
  { tag: tags.string, color: 'var(--kind-2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--kind-4)' },
]);

export const JSON_EDITOR_THEME = [LOOKS, syntaxHighlighting(COLOURS)];
