/** The editor in the colours of the page. */

import { EditorView, HighlightStyle, syntaxHighlighting, tags } from './codemirror.js';

const style = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '550' },
  { tag: tags.variableName, color: 'var(--variable)' },
  { tag: tags.function(tags.variableName), color: 'var(--keyword)' },
  { tag: [tags.link, tags.labelName], color: 'var(--accent)', textDecoration: 'none' },
  { tag: [tags.string, tags.modifier], color: 'var(--add)' },
  { tag: [tags.number, tags.bool], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', font: '12.5px/20px var(--mono)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: 'inherit' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#1b1e2308, #ffffff08)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#2a56c633, #84a7ff44)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-large)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--ui)', fontSize: '12px', maxHeight: '18em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '8px', padding: '2px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { marginLeft: 'auto', color: 'var(--text-3)', fontStyle: 'normal' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--delete)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
});

export const appearance = [theme, syntaxHighlighting(style)];
