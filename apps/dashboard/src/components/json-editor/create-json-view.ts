import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { JSON_EDITOR_THEME } from './json-editor-theme.js';

/** What is wrong with a text, and where. */
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
