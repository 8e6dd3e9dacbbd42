/** The editor of a query: a text with colours, completion and marks of errors, in a shadow root. */

import { startWorker } from '../../parts/worker.js';
import {
  autocompletion,
  bracketMatching,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Diagnostic,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSelectionMatches,
  history,
  historyKeymap,
  indentWithTab,
  keymap,
  lineNumbers,
  lintKeymap,
  Prec,
  searchKeymap,
  setDiagnostics,
  toggleTabFocusMode,
  tooltips,
} from './codemirror.js';
import { completionOf } from './completion.js';
import { sparqlLanguage } from './sparql-language.js';
import type { SyntaxError_ } from './syntax-worker.js';
import { appearance } from './theme.js';
import type { Vocabulary } from './vocabulary.js';

/** After the last key. */
const CHECK_MS = 250;
/** A longer text is for the server alone to judge. */
const CHECKED_CHARACTERS_MAX = 200_000;

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly root: ShadowRoot;
  readonly changed: () => void;
  readonly run: () => void;
  readonly vocabulary: () => Vocabulary;
  /** Where the cursor is and what is wrong, both from 1 on. */
  readonly told: (place: { readonly line: number; readonly column: number; readonly error: string | null }) => void;
  readonly focused: () => void;
}

export class SparqlEditor {
  readonly #view: EditorView;
  readonly #options: EditorOptions;
  #worker: Worker | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #error: string | null = null;
  /** States of texts that are not seen, each with what could be undone. */
  readonly #states = new Map<string, EditorState>();
  #name = '';

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#view = new EditorView({ parent: options.parent, root: options.root, state: this.#newState('') });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** The name of the text that is seen. */
  get shown(): string {
    return this.#name;
  }

  /** Shows a text by its name, as it was left. */
  show(name: string, text: string): void {
    if (name !== this.#name) {
      if (this.#name !== '') this.#states.set(this.#name, this.#view.state);
      this.#name = name;
      const kept = this.#states.get(name);
      this.#view.setState(kept !== undefined && kept.doc.toString() === text ? kept : this.#newState(text));
    } else if (text !== this.text) {
      this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
    }
    this.#checkSoon();
  }

  forget(name: string): void {
    this.#states.delete(name);
  }

  insert(text: string): void {
    this.#view.dispatch(this.#view.state.replaceSelection(text));
    this.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  /** Marks what the server found, where it says where: line and column from 1 on. */
  mark(line: number, column: number, message: string): void {
    const { doc } = this.#view.state;
    if (line < 1 || line > doc.lines) return;
    const found = doc.line(line);
    const from = Math.min(found.from + column - 1, found.to);
    this.#diagnose([{ from, to: Math.min(from + 1, doc.length), severity: 'error', message }]);
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#view.destroy();
  }

  #newState(doc: string): EditorState {
    const { run, vocabulary } = this.#options;
    const runs = (): true => {
      run();
      return true;
    };
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run: runs },
            { key: 'Ctrl-m', run: toggleTabFocusMode },
          ]),
        ),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        sparqlLanguage,
        appearance,
        autocompletion({ override: [completionOf(vocabulary)], icons: false, activateOnTypingDelay: 50 }),
        tooltips({ position: 'fixed' }),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        EditorView.contentAttributes.of({ 'aria-label': 'SPARQL query', spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            this.#options.changed();
            this.#checkSoon();
          }
          if (update.docChanged || update.selectionSet) this.#tell();
          if (update.focusChanged && update.view.hasFocus) this.#options.focused();
        }),
      ],
    });
  }

  #tell(): void {
    const { doc, selection } = this.#view.state;
    const line = doc.lineAt(selection.main.head);
    this.#options.told({ line: line.number, column: selection.main.head - line.from + 1, error: this.#error });
  }

  #checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), CHECK_MS);
  }

  #check(): void {
    const { text } = this;
    if (text.length > CHECKED_CHARACTERS_MAX) return;
    this.#asked++;
    if (this.#worker === null) {
      this.#worker = startWorker(new URL('./syntax-worker.js', import.meta.url));
      this.#worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; error: SyntaxError_ | null }>) => {
        if (data.id === this.#asked) this.#found(data.error);
      });
    }
    this.#worker.postMessage({ id: this.#asked, text });
  }

  #found(error: SyntaxError_ | null): void {
    const { length } = this.#view.state.doc;
    if (error !== null && error.from > length) return;
    this.#diagnose(error === null ? [] : [{ ...error, to: Math.min(error.to, length), severity: 'error' }]);
  }

  #diagnose(diagnostics: readonly Diagnostic[]): void {
    const [first] = diagnostics;
    const line = first === undefined ? null : this.#view.state.doc.lineAt(first.from);
    this.#error =
      first === undefined || line === null
        ? null
        : `line ${line.number}, column ${first.from - line.from + 1}: ${first.message}`;
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
    this.#tell();
  }
}

/**
 * A text that is typed over a selection is put in by the editor, not by the browser: Chrome would keep the look of what it replaces by
 * an attribute of style, which the policy of the page refuses, and say so on its console.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const { main } = view.state.selection;
  if (inputType !== 'insertText' || data === null || main.empty || view.composing) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}
