/**
 * What the store is made of: classes with their instances, predicates with their statements, shapes as forms, and which
 * instances break which shape.
 *
 * State: `class` (IRI), `shape` (IRI, or set and key), `side` (`classes`, `shapes` or `proposals`), `order` (`instances`), `find`,
 * `proposal` (number, or `new`), `only` (`pending`).
 */

import { errorNotice, isAbort } from '../parts/errors.js';
import type { SvcEvents } from '../parts/events.js';
import { css, html, live, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { declaredPrefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink, iriText } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { define, View } from '../parts/view.js';
import './class-tree.js';
import './instance-check.js';
import './predicate-list.js';
import './proposal-detail.js';
import type { Proposal, ProposalList } from './proposal-list.js';
import './proposal-list.js';
import './propose-form.js';
import { whyNotWrite } from '../writes/write-facts.js';
import { type Shape, titleOf } from './read-shapes.js';
import { schemaStyles } from './schema-styles.js';
import { shapeForm } from './shape-form.js';
import { type ShapeSet, shapeSets } from './shape-sets.js';
import type { Asked } from './store-schema.js';

const CHARACTERS = 300;

export class Schema extends View {
  static override properties = {
    shape: {},
    sets: { state: true },
    failure: { state: true },
    asked: { state: true },
    proposals: { state: true },
  };
  static override styles = [
    base,
    schemaStyles,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(240px, 320px) minmax(0, 1fr);
        height: 100%;
        min-height: 0;
        background: var(--surface);
        overflow: hidden;
      }
      @media (max-width: 760px) {
        :host {
          display: block;
          overflow: auto;
        }
      }
    `,
  ];
  shape: string | undefined;
  sets: readonly ShapeSet[] | null = null;
  failure: unknown = null;
  /** Another one when something else is to be asked. */
  asked: Asked | null = null;
  /** Those that are listed. */
  proposals: readonly Proposal[] | null = null;
  #askedOf = '';
  #setsOf = '';

  override willUpdate(_: PropertyValues): void {
    if (!this.active || !this.isConnected) return;
    const { validAt, tx, graph } = this.scope;
    const of = JSON.stringify([this.endpoint, validAt, tx, graph]);
    if (of !== this.#askedOf) {
      this.#askedOf = of;
      this.asked = { server: this.server, scope: this.scopeFields, signal: this.stopping };
    }
    if (this.#setsOf !== String(this.endpoint)) {
      this.#setsOf = String(this.endpoint);
      void this.#readSets();
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#askedOf = '';
    this.#setsOf = '';
  }

  override render() {
    return html`<nav class="side" aria-label="Schema">${this.#side()}</nav><section class="detail" aria-label="Detail">${this.#detail()}</section>`;
  }

  get #shownShape(): string | undefined {
    return this.state.class === undefined ? (this.state.shape ?? this.shape) : this.state.shape;
  }

  get #listed(): 'classes' | 'shapes' | 'proposals' {
    const { side } = this.state;
    if (side === 'classes' || side === 'shapes' || side === 'proposals') return side;
    return this.#shownShape === undefined ? 'classes' : 'shapes';
  }

  #side(): TemplateResult {
    const listed = this.#listed;
    const choose = (side: string) => this.change({ side }, { push: true });
    const ofSets = this.sets?.reduce((sum, { shapes }) => sum + shapes.length, 0);
    const lists = {
      classes: () => this.#classTree(),
      shapes: () => this.#shapeList(),
      proposals: () => this.#proposalList(),
    };
    const segment = (side: typeof listed, title: string) =>
      html`<button class="button" aria-pressed=${side === listed} @click=${() => choose(side)}>${title}</button>`;
    return html`<h1 class="visually-hidden">Schema</h1><div class="tools">
        <div class="segments" role="group" aria-label="What is listed">${segment('classes', 'Classes')}${segment('shapes', `Shapes${ofSets === undefined ? '' : ` ${count(ofSets)}`}`)}${segment('proposals', 'Proposals')}</div>
        ${listed === 'classes' ? this.#classTools() : listed === 'proposals' ? this.#proposalTools() : nothing}</div>
      ${lists[listed]()}`;
  }

  #classTree(): TemplateResult {
    return html`<svc-class-tree .prefixes=${this.prefixes} .asked=${this.asked} .chosen=${this.state.class ?? null} .order=${this.state.order === 'instances' ? 'instances' : 'tree'} .text=${this.state.find ?? ''} @svc-type-click=${this.#chooseClass}></svc-class-tree>`;
  }

  #proposalTools(): TemplateResult {
    const isPending = this.state.only === 'pending';
    return html`<div class="segments" role="group" aria-label="Which proposals"><button class="button small" aria-pressed=${!isPending} @click=${() => this.change({ only: undefined })}>All</button>
        <button class="button small" aria-pressed=${isPending} @click=${() => this.change({ only: 'pending' })}>Pending</button></div>
      <button class="button small" @click=${() => this.change({ proposal: 'new' }, { push: true })}>Propose a change</button>`;
  }

  #proposalList(): TemplateResult {
    const { only, proposal } = this.state;
    return html`<svc-proposal-list .server=${this.server} .active=${this.active} .pending=${only === 'pending'} .chosen=${Number(proposal)} @choose=${({ detail: { id } }: CustomEvent<Proposal>) => this.change({ proposal: String(id) }, { push: true })} @listed=${({ detail }: CustomEvent<readonly Proposal[]>) => (this.proposals = detail)} @shapes=${() => this.#readSets()}></svc-proposal-list>`;
  }

  /** The server has no route for one alone: it is looked for among those that are listed. */
  #proposalDetail(): TemplateResult {
    const { proposal: asked } = this.state;
    const why = this.isPast ? 'You look at the past: go back to now (N) to write.' : null;
    const barred = whyNotWrite(this) ?? why;
    if (asked === 'new') {
      return html`<svc-propose-form .server=${this.server} .barred=${barred} .sets=${this.sets} @proposed=${({ detail }: CustomEvent<number>) => this.#proposed(detail)}></svc-propose-form>`;
    }
    if (asked === undefined) return html`<p class="soft">Choose a proposal, or propose a change.</p>`;
    if (this.proposals === null) return html`<p class="soft" role="status">Reading proposals…</p>`;
    const proposal = this.proposals.find(({ id }) => String(id) === asked);
    if (proposal === undefined) {
      return html`<div class="notice" role="alert"><b>Proposal ${shownLine(asked, 40)} is not among those listed</b>: show all of them, or more.</div>`;
    }
    return html`<svc-proposal .server=${this.server} .barred=${barred} .proposal=${proposal} .sets=${this.sets} .asked=${this.asked} @decided=${() => this.#list?.reload()}></svc-proposal>`;
  }

  get #list(): ProposalList | null {
    return this.renderRoot.querySelector('svc-proposal-list');
  }

  #proposed(id: number): void {
    void this.#list?.reload();
    this.change({ proposal: String(id), only: undefined }, { push: true });
  }

  #classTools(): TemplateResult {
    const byInstances = this.state.order === 'instances';
    return html`<form @submit=${this.#find}><input class="field" name="find" type="search" autocomplete="off" aria-label="Find classes by a part of their IRI" placeholder="Part of an IRI, then Enter" .value=${live(this.state.find ?? '')} /></form>
      <div class="segments" role="group" aria-label="Order"><button class="button small" aria-pressed=${!byInstances} @click=${() => this.change({ order: undefined })}>Tree</button>
        <button class="button small" aria-pressed=${byInstances} @click=${() => this.change({ order: 'instances' })}>By instances</button></div>`;
  }

  #shapeList(): TemplateResult {
    const { sets } = this;
    if (this.failure !== null) return errorNotice(this.failure);
    if (sets === null) return html`<p class="soft" role="status">Reading shapes…</p>`;
    if (sets.length === 0) return html`<p class="soft">No shapes are stored. “svc shapes load” stores them.</p>`;
    return html`${sets.map(
      ({
        name,
        loadedAt,
        shapes,
        failure,
      }) => html`<h2>${shownLine(name, CHARACTERS)} <span class="faint">${loadedAt.slice(0, 10)}</span></h2>
        ${failure === null ? nothing : errorNotice(failure)}
        <ul class="shapes">${shapes.map((shape) => html`<li><button class="button plain" aria-current=${this.#isShown(shape) ? 'true' : nothing} @click=${() => this.#chooseShape(shape)}><bdi dir="auto">${this.#title(shape)}</bdi></button></li>`)}</ul>`,
    )}`;
  }

  #title(shape: Shape): string {
    return shape.name === null && shape.iri !== null
      ? iriText(shape.iri, this.#prefixes(shape.set), CHARACTERS)
      : shownLine(titleOf(shape), CHARACTERS);
  }

  #prefixes(set: string): Readonly<Record<string, string>> {
    const turtle = this.sets?.find(({ name }) => name === set)?.turtle;
    return turtle === undefined ? this.prefixes : { ...this.prefixes, ...declaredPrefixes(turtle) };
  }

  #isShown(shape: Shape): boolean {
    return this.#shownShape === addressOf(shape);
  }

  #detail(): TemplateResult {
    const { class: chosen } = this.state;
    if (this.#listed === 'proposals') return this.#proposalDetail();
    if (this.#shownShape !== undefined) return this.#shapeDetail(this.#shownShape);
    return chosen === undefined ? this.#whole() : this.#classDetail(chosen);
  }

  #whole(): TemplateResult {
    return html`<h2>Predicates of everything</h2><svc-predicate-list .prefixes=${this.prefixes} .asked=${this.asked} .of=${null}></svc-predicate-list>`;
  }

  #classDetail(iri: string): TemplateResult {
    const options = { server: this.server, prefixes: this.prefixes, charactersMax: CHARACTERS };
    const about = this.#shapesOf(iri);
    return html`<h2>${iriLink(iri, options, 'svc-type-click')}</h2><p class="mono soft">${shownLine(iri, 2000)}</p>
      <h3>Shapes of its instances</h3>
      ${this.sets === null ? html`<p class="soft" role="status">Reading shapes…</p>` : about.length === 0 ? html`<p class="soft">No shape names it as a target.</p>` : html`<ul class="shapes">${about.map((shape) => html`<li><button class="button plain" @click=${() => this.#chooseShape(shape)}><bdi dir="auto">${this.#title(shape)}</bdi></button></li>`)}</ul>`}
      <h3>Predicates of its instances, subclasses included</h3>
      <svc-predicate-list .prefixes=${this.prefixes} .asked=${this.asked} .of=${iri}></svc-predicate-list>`;
  }

  #shapesOf(iri: string): Shape[] {
    const names = (shape: Shape) => shape.targets.some(({ kind, term }) => kind === 'class' && term.value === iri);
    return (this.sets ?? []).flatMap(({ shapes }) => shapes.filter(names));
  }

  #shapeDetail(address: string): TemplateResult {
    if (this.failure !== null)
      return html`${errorNotice(this.failure)}<p><button class="button" @click=${() => this.#readSets()}>Try again</button></p>`;
    if (this.sets === null) return html`<p class="soft" role="status">Reading shapes…</p>`;
    const set = this.sets.find(({ shapes }) => shapes.some((shape) => addressOf(shape) === address));
    const shape = set?.shapes.find((one) => addressOf(one) === address);
    if (set === undefined || shape === undefined) {
      return html`<div class="notice" role="alert"><b>There is no shape ${shownLine(address, CHARACTERS)}</b> among the stored sets.</div>`;
    }
    const options = {
      server: this.server,
      prefixes: this.#prefixes(set.name),
      choose: (other: Shape) => this.#chooseShape(other),
    };
    return html`<h2><bdi dir="auto">${this.#title(shape)}</bdi></h2>
      <p class="mono soft">${shape.iri === null ? nothing : shownLine(shape.iri, 2000)} <span>in the set “${shownLine(set.name, CHARACTERS)}”</span></p>
      ${shapeForm(shape, options)}
      <h3>Instances that break it</h3>
      <svc-instance-check .prefixes=${this.prefixes} .asked=${this.asked} .shape=${shape} .turtle=${set.turtle}></svc-instance-check>`;
  }

  #chooseShape(shape: Shape): void {
    this.change({ shape: addressOf(shape), class: undefined, side: 'shapes' }, { push: true });
  }

  #chooseClass(event: CustomEvent<SvcEvents['svc-type-click']>): void {
    // The page would open it as an entity.
    event.preventDefault();
    this.change({ class: event.detail.iri, shape: undefined, side: 'classes' }, { push: true });
  }

  #find(event: SubmitEvent): void {
    event.preventDefault();
    const text = String(new FormData(event.target as HTMLFormElement).get('find') ?? '').trim();
    this.change({ find: text === '' ? undefined : text });
  }

  async #readSets(): Promise<void> {
    this.failure = null;
    const { stopping } = this;
    try {
      const sets = await shapeSets(this.server, stopping);
      if (!stopping.aborted) this.sets = sets;
    } catch (error) {
      if (!stopping.aborted && !isAbort(error)) this.failure = error;
    }
  }
}

/** As the state names it: the IRI, or the set and the label within it. */
function addressOf({ iri, set, key }: Shape): string {
  return iri ?? `${set}#${key}`;
}

define('svc-schema', Schema);
