/**
 * `<svc-graph>`: the graph explorer, on the page of the server and on others.
 *
 * What is asked for (focus, query, types, depth, scope) begins an exploration anew; what only changes the picture (filters, colours,
 * picked nodes, path) is drawn from what is here. Pictures are for eyes; the list has the same nodes for everybody.
 *
 * Length: it holds the state that its parts share; what a part does with it stands in a file of its own.
 */
import { errorNotice, isAbort } from '../parts/errors.js';
import { emit, listen } from '../parts/events.js';
import { createRef, html, nothing, type PropertyDeclarations, ref, type TemplateResult } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { define, type HostMessage, View } from '../parts/view.js';
import { GraphSource } from './ask/graph-source.js';
import { isIri } from './ask/queries.js';
import { type Bars, below, tools } from './bars.js';
import { type Emphasis, typeColours } from './draw/scene.js';
import { groupColour, themeOf } from './draw/theme.js';
import { emphasisOf, sameEmphasis } from './emphasis.js';
import './compare-control.js';
import type { CompareControl, Comparison } from './compare-control.js';
import { entityPanel } from './entity-panel.js';
import { EXPANSION_EDGES, Exploration } from './exploration.js';
import { colourOf, listOf, listText, offOf, pathOf, sinceOf, startOf, toggled } from './explorer-state.js';
import { explorerStyles } from './explorer-styles.js';
import { FACTS_SHOWN_MAX, FactsReader } from './facts-reader.js';
import { filtersPanel, type GraphChoice } from './filters-panel.js';
import { GraphCanvas, isDark } from './graph-canvas.js';
import { explorerKey } from './keys.js';
import type { LayoutState } from './layout/messages.js';
import { layoutWorker } from './layout/start.js';
import { nodeAt } from './model/directions.js';
import type { GraphModel } from './model/graph-model.js';
import { predicateCounts, typeCounts, type Visible, visibleOf } from './model/visible.js';
import { nodeList } from './node-list.js';
import { type FoundPath, shownPath, storedPath } from './path-finder.js';

const GRAPHS_MAX = 100;
/** Entities that a search begins with. */
const FOUND_MAX = 10;
const EMPTY: Visible = { nodes: new Uint32Array(0), edges: new Uint32Array(0), turnOf: new Int32Array(0) };

export class Explorer extends View {
  static override properties: PropertyDeclarations = {
    ...View.properties,
    focused: { attribute: 'focus' },
    query: {},
    depth: {},
    types: {},
    busy: { state: true },
    failure: { state: true },
    note: { state: true },
    unable: { state: true },
    graphs: { state: true },
    layout: { state: true },
    listPage: { state: true },
    areFiltersOpen: { state: true },
    version: { state: true },
  };
  static override styles = [base, explorerStyles];

  focused: string | undefined;
  query: string | undefined;
  depth: string | undefined;
  types: string | undefined;
  busy = '';
  failure: unknown = null;
  note = '';
  unable: string | null = null;
  graphs: readonly GraphChoice[] = [];
  layout: LayoutState = 'settled';
  listPage = 0;
  areFiltersOpen = false;
  /** Changes whenever what is drawn has changed. */
  version = 0;

  /** What draws; for figures of frames. */
  canvas: GraphCanvas | null = null;
  exploration: Exploration | null = null;
  readonly #plane = createRef<HTMLElement>();
  readonly #listed = new Set<string>();
  #visible: Visible = EMPTY;
  #emphasised: Emphasis | null = null;
  #begun = '';
  #drawn = '';
  #pathFor = '';
  /** As the address has it. */
  #comparedWith: string | undefined;
  #pathIris: readonly string[] = [];
  readonly #facts = new FactsReader(() => this.requestUpdate());
  #pathStart: string | null = null;
  #areMoreGraphs = false;
  #asking = new AbortController();

  constructor() {
    super();
    // Whoever chooses a node in the graph or in its panel stays here. Other pages hear of it all the same.
    listen(this, 'svc-node-click', ({ iri }, event) => {
      event.preventDefault();
      if (event.composedPath()[0] !== this) void this.#visit(iri);
    });
  }

  get #picked(): string[] {
    return listOf(this.state.pick);
  }

  get #model() {
    return this.exploration?.model ?? null;
  }

  protected override receive({ action, query, iri }: HostMessage): void {
    if (action === 'query' && typeof query === 'string') this.change({ query, focus: undefined, pick: undefined });
    else if (action === 'focus' && typeof iri === 'string') this.change({ focus: iri, query: undefined, pick: iri });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#asking.abort();
    this.canvas?.end();
    this.canvas = null;
    this.#begun = '';
  }

  protected override updated(): void {
    super.updated();
    if (!this.active || !this.isConnected) return;
    if (this.canvas === null && this.#plane.value !== undefined) this.#draw(this.#plane.value);
    const { state, scope } = this;
    const asked = [
      this.endpoint,
      scope.validAt,
      scope.tx,
      scope.graph,
      state.focus ?? this.focused,
      state.query ?? this.query,
    ];
    const begun = JSON.stringify([
      ...asked,
      state.depth ?? this.depth,
      state.types ?? this.types,
      state.limit,
      state.changed === '1' ? state.since : null,
    ]);
    if (begun !== this.#begun) {
      this.#begun = begun;
      void this.#begin();
      return;
    }
    this.#show();
    void this.#facts.read(begun, this.#picked.at(-1) ?? '', () => this.#source());
    void this.#compareAgain();
    void this.#findPath();
  }

  /** Two moments are chosen in the bar; one that is there already is mended there. */
  override compare(): boolean {
    (this.renderRoot.querySelector('svc-compare') as CompareControl | null)?.open();
    return true;
  }

  #draw(plane: HTMLElement): void {
    this.canvas = new GraphCanvas(plane, {
      layoutWorker,
      takesWheel: () => this.parentElement?.localName === 'svc-page' || this.matches(':focus-within'),
      listener: {
        clicked: (place, isAlso) => this.#pick(place, isAlso),
        opened: (place) => void this.#expand(this.#model?.iris[place] ?? ''),
        hovered: () => undefined,
        laidOut: (layout) => {
          this.layout = layout;
        },
        unable: (reason) => {
          this.unable = reason;
        },
      },
    });
    this.#drawn = '';
  }

  /** Runs what asks the server: one at a time, and a new start ends what was asked before. */
  async #ask(busy: string, work: (exploration: Exploration) => Promise<string>): Promise<void> {
    const { exploration } = this;
    const { signal } = this.#asking;
    if (exploration === null || this.busy !== '') return;
    this.busy = busy;
    this.failure = null;
    try {
      this.note = await work(exploration);
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) this.failure = error;
    } finally {
      if (!signal.aborted) {
        this.busy = '';
        this.version++;
      }
    }
  }

  #source(): GraphSource {
    return new GraphSource(this.server.client, this.scopeFields, AbortSignal.any([this.#asking.signal, this.stopping]));
  }

  async #begin(): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.exploration = new Exploration(this.#source());
    this.busy = '';
    this.#comparedWith = this.state.since;
    this.listPage = 0;
    void this.#listGraphs();
    await this.#ask('Asking the server …', async (exploration) => {
      const { state } = this;
      const request = startOf(state, { focus: this.focused, query: this.query, depth: this.depth, types: this.types });
      const said = await exploration.begin(request);
      const compared = await this.#compareWith(exploration);
      return [compared, said].filter((one) => one !== '').join('. ');
    });
  }

  /** Says what was found; '' where nothing is compared. */
  async #compareWith(exploration: Exploration): Promise<string> {
    const since = sinceOf(this.state);
    if (since === null) return '';
    const { added, removed } = await exploration.compare(since);
    return `Compared: ${count(added)} edges added, ${count(removed)} removed`;
  }

  /** Where only what is compared with has changed: what is here stays, and is marked anew. */
  async #compareAgain(): Promise<void> {
    const { since } = this.state;
    if (this.#comparedWith === since || this.busy !== '' || this.#model === null) return;
    this.#comparedWith = since;
    this.#model.forgetChanges();
    this.version++;
    await this.#ask('Comparing …', (exploration) => this.#compareWith(exploration));
  }

  #chooseComparison({ since, isChanged }: Comparison): void {
    const begun = isChanged
      ? { focus: undefined, query: undefined, types: undefined, path: undefined, pick: undefined }
      : {};
    this.change({ ...begun, since: since ?? undefined, changed: isChanged ? '1' : undefined }, { push: true });
  }

  async #listGraphs(): Promise<void> {
    try {
      const { signal } = this.#asking;
      const { graphs, truncated } = await this.server.background.call('graphs', { limit: GRAPHS_MAX }, { signal });
      this.#areMoreGraphs = truncated;
      this.graphs = graphs.map(({ graph, facts, labels }) => {
        const freshness = labels?.freshness;
        return { iri: graph, facts, freshness: typeof freshness === 'string' ? freshness : null };
      });
    } catch (error) {
      // The same failure is told where the graph stands.
      if (!isAbort(error)) this.failure ??= error;
    }
  }

  /** Draws what is here, where that has changed. */
  #show(): void {
    const model = this.#model;
    if (model === null) return;
    const { toff, poff } = this.state;
    const drawn = `${this.#begun} ${this.version} ${model.version} ${toff} ${poff}`;
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#visible = visibleOf(model, { typesOff: offOf(toff), predicatesOff: offOf(poff) });
      this.#emphasised = this.#emphasis(model);
      this.canvas?.show(model, this.#visible, this.#emphasised);
      this.requestUpdate();
      return;
    }
    const emphasis = this.#emphasis(model);
    if (!sameEmphasis(emphasis, this.#emphasised)) {
      this.canvas?.emphasise(emphasis);
    }
    this.#emphasised = emphasis;
  }

  #emphasis(model: GraphModel): Emphasis {
    const ends = this.#pathStart === null ? [] : [this.#pathStart];
    const chosen = { colourBy: colourOf(this.state), picked: [...this.#picked, ...ends], path: this.#pathIris };
    return emphasisOf(model, this.#visible, chosen);
  }

  #pick(place: number, isAlso: boolean): void {
    const iri = this.#model?.iris[place];
    if (iri === undefined) {
      if (!isAlso) this.change({ pick: undefined });
      return;
    }
    const others = isAlso ? this.#picked.filter((one) => one !== iri) : [];
    if (this.#pathStart !== null && this.#pathStart !== iri) {
      this.change({ path: `${this.#pathStart} ${iri}`, pick: iri });
      this.#pathStart = null;
    } else {
      this.change({ pick: listText([...others, iri]) });
    }
    emit(this, 'svc-node-click', { iri });
  }

  /** Goes to a node that a fact of the panel names, and fetches it where it is not here. */
  async #visit(iri: string): Promise<void> {
    const from = this.#picked.at(-1);
    if ((this.#model?.placeOf(iri) ?? -1) < 0 && from !== undefined) {
      await this.#ask('Asking the server …', async (exploration) => {
        await exploration.expand(iri);
        return '';
      });
    }
    this.change({ pick: iri });
    const place = this.#model?.placeOf(iri) ?? -1;
    if (place >= 0) this.canvas?.centre(place);
  }

  async #expand(iri: string): Promise<void> {
    if (!isIri(iri)) return;
    await this.#ask('Expanding …', async (exploration) => {
      const added = await exploration.expand(iri);
      const { offset, of } = exploration.reached(iri)!;
      const rest = offset < of ? `; expand again for the next ${count(Math.min(EXPANSION_EDGES, of - offset))}` : '';
      return `${count(added)} new edges; ${count(offset)} of ${count(of)} are here${rest}`;
    });
  }

  async #expandTogether(): Promise<void> {
    await this.#ask('Expanding …', async (exploration) => {
      const added = await exploration.expandTogether();
      return `${count(added)} new edges; ${count(exploration.open)} nodes have edges that are not here`;
    });
  }

  async #beginWith(text: string): Promise<void> {
    const anew = { query: undefined, pick: undefined, path: undefined };
    if (text === '' || isIri(text)) {
      this.change({ ...anew, focus: listText(text === '' ? [] : [text]) }, { push: true });
      return;
    }
    await this.#ask('Searching …', async () => {
      const found = await this.#source().find(text, FOUND_MAX);
      if (found.length > 0) this.change({ ...anew, focus: listText(found) }, { push: true });
      return found.length === 0 ? 'Nothing was found' : `Begins with the first ${count(found.length)} that were found`;
    });
  }

  #hide(): void {
    const model = this.#model;
    if (model === null) return;
    for (const iri of this.#picked) {
      const place = model.placeOf(iri);
      if (place >= 0) model.hidden[place] = 1;
    }
    this.change({ pick: undefined });
    this.version++;
  }

  #unhide(): void {
    this.#model?.hidden.fill(0);
    this.version++;
  }

  /** Two picked nodes are the ends; of one, the next that is picked is the other. */
  #choosePath(): void {
    const [first, second] = this.#picked;
    if (this.state.path !== undefined) {
      this.change({ path: undefined });
    } else if (first !== undefined && second !== undefined) {
      this.change({ path: `${first} ${second}` });
    } else {
      this.#pathStart = this.#pathStart === null ? (first ?? null) : null;
      this.note =
        this.#pathStart === null ? 'Pick a node first: a path begins there' : 'Pick the node where the path ends';
      this.requestUpdate();
    }
  }

  async #findPath(): Promise<void> {
    const ends = pathOf(this.state);
    const wanted = ends === null ? '' : ends.join(' ');
    const model = this.#model;
    if (wanted === this.#pathFor || model === null || this.busy !== '') return;
    this.#pathFor = wanted;
    this.#pathIris = [];
    if (ends !== null) {
      const take = ({ iris, note }: FoundPath): string => {
        this.#pathIris = iris;
        return note;
      };
      const found = shownPath(model, this.#visible, ...ends);
      if (found !== null) this.note = take(found);
      else await this.#ask('Looking for a path …', async (exploration) => take(await storedPath(exploration, ...ends)));
    }
    this.requestUpdate();
  }

  #key(event: KeyboardEvent): void {
    const from = event.composedPath()[0];
    if (from instanceof HTMLInputElement) return;
    const action = explorerKey(event, from === this.#plane.value);
    if (action === null) return;
    event.preventDefault();
    const picked = this.#picked.at(-1) ?? '';
    switch (action.kind) {
      case 'expand':
        void this.#expand(picked);
        break;
      case 'hide':
        this.#hide();
        break;
      case 'path':
        this.#choosePath();
        break;
      case 'compare':
        this.compare();
        break;
      case 'pause':
        this.#togglePause();
        break;
      case 'leave':
        this.change({ pick: undefined, path: undefined });
        break;
      case 'zoom':
        this.canvas?.zoom(action.factor);
        break;
      case 'fit':
        this.canvas?.fit();
        break;
      case 'go':
        this.#go(picked, action);
        break;
    }
  }

  #go(picked: string, direction: { readonly x: number; readonly y: number }): void {
    const { canvas } = this;
    const model = this.#model;
    if (canvas === null || model === null) return;
    const next = nodeAt(model, this.#visible, model.placeOf(picked), direction, (place) => canvas.screenOf(place));
    if (next < 0) return;
    this.#pick(next, false);
    const at = canvas.screenOf(next);
    const { width, height } = canvas.camera;
    if (at !== null && (at.x < 0 || at.y < 0 || at.x > width || at.y > height)) canvas.centre(next);
  }

  #togglePause(): void {
    if (this.layout === 'running') this.canvas?.pause();
    else this.canvas?.resume();
  }

  override render(): TemplateResult {
    const picked = this.#picked.at(-1);
    const isListed = this.state.list === '1' || this.unable !== null;
    const bars = this.#bars(isListed);
    return html`<div class="frame ${picked === undefined ? '' : 'with-entity'}" @keydown=${this.#key}>
      ${this.#filters()}
      <section class="stage" aria-label="Graph" aria-busy=${this.busy !== ''}>
        <div class="plane" ${ref(this.#plane)} tabindex="0" role="application" aria-label=${`Graph, ${count(this.#visible.nodes.length)} nodes. The list has the same content.`}></div>
        ${isListed ? this.#list() : nothing}
        ${tools(bars)}
        ${this.#middle()}
        ${below(bars)}
      </section>
      ${picked === undefined ? nothing : this.#entity(picked)}
    </div>`;
  }

  #bars(isListed: boolean): Bars {
    const { canvas, state, areFiltersOpen, layout, busy, note, unable } = this;
    return {
      isListed,
      unable,
      colourBy: colourOf(state),
      isPathChosen: state.path !== undefined || this.#pathStart !== null,
      areFiltersOpen,
      layout,
      server: this.server,
      since: state.since,
      tx: this.scope.tx,
      compare: (comparison) => this.#chooseComparison(comparison),
      figures: this.#figures(),
      hidden: this.#model?.hidden.reduce((sum, one) => sum + one, 0) ?? 0,
      open: this.exploration?.open ?? 0,
      busy,
      note,
      showList: (list) => this.change({ list: list ? '1' : undefined }),
      colour: (by) => this.change({ color: by === 'type' ? by : undefined }),
      toggleFilters: () => {
        this.areFiltersOpen = !areFiltersOpen;
      },
      choosePath: () => this.#choosePath(),
      togglePause: () => this.#togglePause(),
      unhide: () => this.#unhide(),
      expandTogether: () => void this.#expandTogether(),
      zoom: (factor) => canvas?.zoom(factor),
      fit: () => canvas?.fit(),
    };
  }

  /** What stands where the graph would be: failures, and that there is none. */
  #middle(): TemplateResult | typeof nothing {
    const isEmpty = this.#visible.nodes.length === 0;
    if (this.failure !== null) {
      return html`<div class="middle">${errorNotice(this.failure)}
        <button class="button" @click=${this.#again}>Try again</button></div>`;
    }
    if (!isEmpty || this.busy !== '' || this.#model === null) return nothing;
    const isFiltered = this.#model.nodeCount > 0;
    return html`<div class="middle soft"><p>${isFiltered ? 'Everything here is filtered out or hidden.' : 'There is nothing here: no links between things in this graph, at this time.'}</p></div>`;
  }

  #again(): void {
    this.failure = null;
    this.#comparedWith = undefined;
    if (this.#model === null || this.#model.nodeCount === 0) void this.#begin();
  }

  /** "194 of 5,211 nodes · 390 of 12,044 edges": shown of those that there are. */
  #figures(): string {
    const { exploration } = this;
    if (exploration === null) return '';
    const { model, nodesOf, edgesOf } = exploration;
    const nodes = Math.max(nodesOf ?? 0, model.nodeCount);
    const edges = Math.max(edgesOf ?? 0, model.edgesHere);
    return `${count(this.#visible.nodes.length)} of ${count(nodes)} nodes · ${count(this.#visible.edges.length)} of ${count(edges)} edges`;
  }

  #filters(): TemplateResult {
    const model = this.#model;
    const { toff, poff } = this.state;
    const theme = themeOf(this.#plane.value !== undefined && isDark(this.#plane.value));
    const colours = model === null || colourOf(this.state) === 'community' ? null : typeColours(model);
    return filtersPanel({
      types: model === null ? [] : typeCounts(model),
      predicates: model === null ? [] : predicateCounts(model),
      graphs: this.graphs,
      areMoreGraphs: this.#areMoreGraphs,
      typesOff: offOf(toff),
      predicatesOff: offOf(poff),
      graph: this.scope.graph,
      isOpen: this.areFiltersOpen,
      areAllListed: this.#listed,
      colourOf: (type) => (colours === null ? null : groupColour(theme, colours[model!.typePlace(type)] ?? -1)),
      toggleType: (iri) => this.change({ toff: toggled(toff, iri) }),
      togglePredicate: (iri) => this.change({ poff: toggled(poff, iri) }),
      readGraph: (graph) => emit(this, 'svc-scope', { change: { graph } }),
      beginWith: (text) => void this.#beginWith(text),
      listAll: (kind) => {
        this.#listed.add(kind);
        this.requestUpdate();
      },
    });
  }

  #list(): TemplateResult | typeof nothing {
    const model = this.#model;
    if (model === null) return nothing;
    return nodeList({
      model,
      visible: this.#visible,
      page: this.listPage,
      picked: this.#emphasis(model).picked,
      pick: (place, isAlso) => this.#pick(place, isAlso),
      turn: (page) => {
        this.listPage = page;
      },
    });
  }

  #entity(iri: string): TemplateResult {
    const model = this.#model;
    const place = model?.placeOf(iri) ?? -1;
    return entityPanel({
      server: this.server,
      prefixes: this.prefixes,
      iri,
      name: place < 0 ? iri : model!.nameOf(place),
      type: place < 0 ? null : (model!.types[model!.typeOf[place]!] ?? null),
      facts: this.#facts.facts,
      failure: this.#facts.failure,
      reached: this.exploration?.reached(iri) ?? null,
      isBlank: !isIri(iri),
      isPathEnd: this.#pathStart === iri,
      limit: FACTS_SHOWN_MAX,
      expand: () => void this.#expand(iri),
      hide: () => this.#hide(),
      open: () => this.open('entity', { iri }),
      path: () => this.#choosePath(),
      close: () => this.change({ pick: undefined }),
      more: () => void this.#facts.more(iri, () => this.#source()),
    });
  }
}

define('svc-graph', Explorer);
