import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

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
