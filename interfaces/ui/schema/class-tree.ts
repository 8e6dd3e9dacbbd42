/**
 * The classes of the store as a tree that opens level by level, or as a list. Arrow keys go through it as trees are gone
 * through: up and down, right opens and left closes. It says `svc-type-click` with the class.
 */

import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLine, iriText } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Asked } from './store-schema.js';
import {
  type ClassEntry,
  classesByInstances,
  foundClasses,
  type Page,
  rootClasses,
  subclasses,
} from './store-schema.js';

/** A class may stand at several places of the tree; a place is the way down to it. */
interface Level {
  readonly entries: readonly ClassEntry[];
  readonly hasMore: boolean;
}

const SEPARATOR = '\n';
const CHARACTERS = 120;
const DEPTH_MAX = 30;

class ClassTree extends LitElement {
  static override properties = {
    prefixes: { attribute: false },
    asked: { attribute: false },
    chosen: { attribute: false },
    order: { attribute: false },
    text: { attribute: false },
    levels: { state: true },
    open: { state: true },
    failure: { state: true },
    focused: { state: true },
    isLoading: { state: true },
  };
  static override styles = [
    base,
    css`
      .row {
        display: flex;
        gap: 6px;
        align-items: center;
        min-height: 26px;
        padding-inline-end: 8px;
        border-radius: var(--radius);
        cursor: pointer;
      }
      .row:hover {
        background: var(--sunken);
      }
      .row[aria-selected='true'] {
        background: var(--accent-soft);
        color: var(--accent);
        font-weight: 550;
      }
      .indent {
        flex: none;
        width: 10px;
      }
      .mark {
        flex: none;
        width: 16px;
        text-align: center;
        color: var(--text-2);
      }
      .row[aria-selected='true'] .number {
        color: inherit;
      }
    `,
  ];
  prefixes: Prefixes = COMMON_PREFIXES;
  asked: Asked | null = null;
  chosen: string | null = null;
  order: 'tree' | 'instances' = 'tree';
  /** Only classes with this in their IRI; empty = all. */
  text = '';
  levels: ReadonlyMap<string, Level> = new Map();
  open: ReadonlySet<string> = new Set();
  failure: unknown = null;
  focused: string | null = null;
  isLoading = false;
  #round = 0;

  override willUpdate(changed: PropertyValues): void {
    if (!['asked', 'order', 'text'].some((name) => changed.has(name))) return;
    this.#round++;
    this.levels = new Map();
    this.open = new Set();
    this.focused = null;
    void this.#more('');
  }

  override render() {
    const root = this.levels.get('');
    if (this.failure !== null) return errorNotice(this.failure);
    if (root === undefined) return html`<p class="soft" role="status">Reading classes…</p>`;
    if (root.entries.length === 0) {
      return html`<p class="soft">${this.text === '' ? 'There are no classes: nothing has a type.' : 'No class has this in its IRI.'}</p>`;
    }
    const rows = this.#rows('', 0);
    return html`<div role="tree" aria-label="Classes" @keydown=${this.#key}>${rows.filter(({ kind }) => kind === 'class').length === 0 ? nothing : rows.map((row) => this.#row(row))}</div>
      ${this.#openLevels().map(([place, { entries }]) => html`<p><button class="button small" ?disabled=${this.isLoading} @click=${() => this.#more(place)}>More ${place === '' ? 'classes' : html`under <bdi>${iriText(iriAt(place), this.prefixes, CHARACTERS)}</bdi>`}</button> <span class="soft">${count(entries.length)} shown</span></p>`)}`;
  }

  /** Those that have more. */
  #openLevels(): [string, Level][] {
    return [...this.levels].filter(([place, { hasMore }]) => hasMore && (place === '' || this.open.has(place)));
  }

  #rows(place: string, depth: number): Row[] {
    const level = this.levels.get(place);
    if (level === undefined) return [];
    return level.entries.flatMap((entry, at) => {
      const own = place === '' ? entry.iri : place + SEPARATOR + entry.iri;
      const isOpen = this.open.has(own);
      const row: Row = { kind: 'class', entry, place: own, depth, isOpen, at: at + 1, of: level.entries.length };
      return isOpen ? [row, ...this.#rows(own, depth + 1)] : [row];
    });
  }

  #row({ entry, place, depth, isOpen, at, of }: Row): TemplateResult {
    const { iri, instances, hasSubclasses } = entry;
    const isFirst = this.focused === null && depth === 0 && at === 1;
    return html`<div class="row" role="treeitem" data-place=${place} aria-level=${depth + 1} aria-posinset=${at} aria-setsize=${of}
      aria-expanded=${hasSubclasses ? isOpen : nothing} aria-selected=${this.chosen === iri} tabindex=${this.focused === place || isFirst ? 0 : -1}
      title=${shownLine(iri, 2000)}
      @focus=${() => (this.focused = place)} @click=${() => this.#choose(iri)}>
      ${Array.from({ length: depth }, () => html`<span class="indent"></span>`)}<span class="mark" aria-hidden="true" @click=${(event: Event) => this.#markClicked(event, place, hasSubclasses)}>${hasSubclasses ? (isOpen ? '▾' : '▸') : ''}</span>
      <bdi class="ellipsis grow">${iriLine(iri, this.prefixes, CHARACTERS)}</bdi><span class="number faint">${count(instances)}</span></div>`;
  }

  #markClicked(event: Event, place: string, hasSubclasses: boolean): void {
    if (!hasSubclasses) return;
    event.stopPropagation();
    this.#toggle(place, !this.open.has(place));
  }

  #choose(iri: string): void {
    emit(this, 'svc-type-click', { iri });
  }

  #toggle(place: string, isOpen: boolean): void {
    const open = new Set(this.open);
    if (isOpen) open.add(place);
    else open.delete(place);
    this.open = open;
    if (isOpen && !this.levels.has(place)) void this.#more(place);
  }

  #key(event: KeyboardEvent): void {
    const rows = this.#rows('', 0);
    const at = rows.findIndex(({ place }) => place === this.focused);
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { place, isOpen, entry, depth } = row;
    const to = (next: Row | undefined): void => this.#focus(next?.place);
    if (event.key === 'ArrowDown') to(rows[at + 1]);
    else if (event.key === 'ArrowUp') to(rows[at - 1]);
    else if (event.key === 'Home') to(rows[0]);
    else if (event.key === 'End') to(rows.at(-1));
    else if (event.key === 'Enter' || event.key === ' ') this.#choose(entry.iri);
    else if (event.key === 'ArrowRight' && entry.hasSubclasses) {
      if (isOpen) to(rows[at + 1]);
      else this.#toggle(place, true);
    } else if (event.key === 'ArrowLeft') {
      if (isOpen) this.#toggle(place, false);
      else if (depth > 0) this.#focus(place.slice(0, place.lastIndexOf(SEPARATOR)));
    } else return;
    event.preventDefault();
  }

  #focus(place: string | undefined): void {
    if (place === undefined) return;
    this.focused = place;
    void this.updateComplete.then(() => {
      for (const row of this.renderRoot.querySelectorAll<HTMLElement>('.row'))
        if (row.dataset.place === place) row.focus();
    });
  }

  async #more(place: string): Promise<void> {
    const { asked } = this;
    if (asked === null) return;
    const round = this.#round;
    const before = this.levels.get(place)?.entries ?? [];
    this.isLoading = true;
    this.failure = null;
    try {
      const page = await this.#page(place, before.length, asked);
      if (round !== this.#round) return;
      const above = new Set(place.split(SEPARATOR));
      const tooDeep = place.split(SEPARATOR).length >= DEPTH_MAX;
      // A class under itself ends there.
      const added = page.entries.map((entry) =>
        place !== '' && (tooDeep || above.has(entry.iri)) ? { ...entry, hasSubclasses: false } : entry,
      );
      this.levels = new Map(this.levels).set(place, { entries: [...before, ...added], hasMore: page.hasMore });
    } catch (error) {
      if (round === this.#round && !asked.signal.aborted && !isAbort(error)) this.failure = error;
    } finally {
      if (round === this.#round) this.isLoading = false;
    }
  }

  #page(place: string, offset: number, asked: Asked): Promise<Page<ClassEntry>> {
    if (place !== '') return subclasses(iriAt(place), offset, asked);
    if (this.text !== '') return foundClasses(this.text, offset, asked);
    return this.order === 'tree' ? rootClasses(offset, asked) : classesByInstances(offset, asked);
  }
}

interface Row {
  readonly kind: 'class';
  readonly entry: ClassEntry;
  readonly place: string;
  readonly depth: number;
  readonly isOpen: boolean;
  /** Within its level, from 1. */
  readonly at: number;
  readonly of: number;
}

/** The class at a place. */
function iriAt(place: string): string {
  return place.slice(place.lastIndexOf(SEPARATOR) + 1);
}

define('svc-class-tree', ClassTree);
