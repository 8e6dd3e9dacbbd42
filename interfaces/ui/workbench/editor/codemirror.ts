/** CodeMirror: the text, its colours, completion and marks of errors. Everything of it that the workbench uses comes from here. */
export {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap, indentWithTab, toggleTabFocusMode } from '@codemirror/commands';
export {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  StreamLanguage,
  type StreamParser,
  type StringStream,
  syntaxHighlighting,
} from '@codemirror/language';
export { type Diagnostic, linter, lintKeymap, nextDiagnostic, setDiagnostics } from '@codemirror/lint';
export { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
export { Compartment, EditorState, Prec } from '@codemirror/state';
export {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view';
export { tags } from '@lezer/highlight';
