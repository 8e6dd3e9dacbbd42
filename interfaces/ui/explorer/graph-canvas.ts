/**
 * A graph on the screen: the renderer, names, camera, gestures and the layout in its worker, of a model that others fill.
 *
 * 1. `show` takes what is visible of the model, gives it to the layout, and draws.
 * 2. Positions come by message, at most one a frame; a frame is drawn only when something has changed.
 * 3. While things move, edges of large graphs are left out and standing names follow; at rest all is drawn once.
 *
 * Length: what a frame needs of scene, camera, names and layout is held in one place; each of them is a file of its own.
 */
import { Camera } from './draw/camera.js';
import { FrameFigures } from './draw/frame-figures.js';
import { Gestures } from './draw/gestures.js';
import { Grid } from './draw/grid.js';
import { LabelLayer } from './draw/label-layer.js';
import { Renderer } from './draw/renderer.js';
import { type Emphasis, type Scene, sceneOf } from './draw/scene.js';
import { type Theme, themeOf } from './draw/theme.js';
import { Layout } from './layout/layout.js';
import type { LayoutState } from './layout/messages.js';
import { keptNumbers } from './model/communities.js';
import type { GraphModel } from './model/graph-model.js';
import type { Visible } from './model/visible.js';

export interface GraphCanvasListener {
  /** `place` of the node, -1 beside all; `isAlso`: together with what is picked already. */
  clicked(place: number, isAlso: boolean): void;
  opened(place: number): void;
  hovered(place: number): void;
  laidOut(state: LayoutState, iteration: number, iterationsMax: number): void;
  /** Nothing can be drawn (any more), and why; null when it can again. */
  unable(reason: string | null): void;
}

export interface GraphCanvasOptions {
  readonly layoutWorker: () => Worker;
  readonly listener: GraphCanvasListener;
  readonly takesWheel: () => boolean;
}

/** Milliseconds without movement until all is drawn. */
const REST_MS = 140;
/** As many edges are drawn while things move, too. */
const EDGES_MOVING_MAX = 2500;
const MARGIN = 48;
/** Pixels a unit of the world at which a small graph is shown. */
const SCALE_MAX_FIT = 3;
/** How far beside a node a click still means it, in pixels. */
const REACH = { mouse: 5, touch: 16 };
const FONT = '12px system-ui, sans-serif';

export class GraphCanvas {
  readonly camera = new Camera();
  readonly figures = new FrameFigures();
  readonly #root: HTMLElement;
  readonly #listener: GraphCanvasListener;
  readonly #plane = document.createElement('canvas');
  readonly #names = document.createElement('canvas');
  readonly #layout: Layout;
  readonly #labels: LabelLayer;
  readonly #gestures: Gestures;
  readonly #resizes: ResizeObserver;
  readonly #listening = new AbortController();
  #gl: WebGL2RenderingContext | null = null;
  #renderer: Renderer | null = null;
  #theme: Theme;
  #shown: { readonly model: GraphModel; readonly visible: Visible; emphasis: Emphasis } | null = null;
  #scene: Scene | null = null;
  #positions = new Float32Array(0);
  #grid: Grid | null = null;
  /** The camera keeps the whole graph in view until somebody has moved it. */
  #isFollowing = true;
  #restScale = 1;
  #ratio = 1;
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #movedAt = Number.NEGATIVE_INFINITY;
  /** Something has moved since the last frame, however long ago that was. */
  #hasMoved = false;
  #isLaying = false;
  #areNewPositions = false;
  /** The renderer has not been given `#scene`. */
  #isNewScene = false;
  /** Every node has a place. Until the layout has given the new ones theirs, what was drawn before stays. */
  #isPlaced = false;
  #hovered = -1;

  constructor(root: HTMLElement, { layoutWorker, listener, takesWheel }: GraphCanvasOptions) {
    this.#root = root;
    this.#listener = listener;
    for (const canvas of [this.#plane, this.#names]) {
      Object.assign(canvas.style, {
        position: 'absolute',
        inset: '0',
        width: '100%',
        height: '100%',
        pointerEvents: 'none',
      });
    }
    Object.assign(root.style, { touchAction: 'none', cursor: 'grab' });
    if (getComputedStyle(root).position === 'static') root.style.position = 'relative';
    root.append(this.#plane, this.#names);
    this.#theme = themeOf(isDark(this.#root));
    this.#labels = new LabelLayer(this.#names, FONT);
    this.#layout = new Layout(layoutWorker(), {
      communities: (communities) => this.#timed(() => this.#group(communities)),
      positions: (positions) => this.#timed(() => this.#place(positions)),
      state: (state, iteration, iterationsMax) => {
        this.#isLaying = state === 'running';
        listener.laidOut(state, iteration, iterationsMax);
      },
      failed: (message) => {
        this.#isLaying = false;
        listener.unable(message);
      },
    });
    this.#gestures = new Gestures(root, this.#gestureTarget(), takesWheel);
    this.#resizes = new ResizeObserver(() => this.#resize());
    this.#resizes.observe(root);
    this.#begin();
    const { signal } = this.#listening;
    this.#plane.addEventListener('webglcontextlost', (event) => this.#lose(event), { signal });
    this.#plane.addEventListener('webglcontextrestored', () => this.#start(), { signal });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#retheme(), { signal });
  }

  /** Whether graphs can be drawn here. */
  get canDraw(): boolean {
    return this.#renderer !== null;
  }

  get drawCalls(): number {
    return this.#renderer?.drawCalls ?? 0;
  }

  /** Messages with positions that the layout has sent. */
  get positionMessages(): number {
    return this.#layout.received;
  }

  get placedLabels(): LabelLayer['placed'] {
    return this.#labels.placed;
  }

  /** Shows other nodes and edges: the layout goes on from where nodes are. */
  show(model: GraphModel, visible: Visible, emphasis: Emphasis): void {
    const isFirst = this.#shown === null || this.#shown.visible.nodes.length === 0;
    this.keepPositions();
    this.#shown = { model, visible, emphasis };
    const { nodes, edges, turnOf } = visible;
    this.#positions = new Float32Array(nodes.length * 2);
    for (let turn = 0; turn < nodes.length; turn++) {
      this.#positions[2 * turn] = model.x[nodes[turn]!]!;
      this.#positions[2 * turn + 1] = model.y[nodes[turn]!]!;
    }
    const pairs = new Uint32Array(edges.length * 2);
    for (let at = 0; at < edges.length; at++) {
      pairs[2 * at] = turnOf[model.source[edges[at]!]!]!;
      pairs[2 * at + 1] = turnOf[model.target[edges[at]!]!]!;
    }
    this.#isPlaced = this.#positions.every(Number.isFinite);
    if (isFirst) this.#isFollowing = true;
    this.#layout.lay({ nodeCount: nodes.length, positions: this.#positions, edges: pairs });
    this.#redraw();
  }

  /** Shows the same in other colours. */
  emphasise(emphasis: Emphasis): void {
    if (this.#shown === null) return;
    this.#shown.emphasis = emphasis;
    this.#redraw();
  }

  pause(): void {
    this.#layout.pause();
  }

  resume(): void {
    this.#layout.resume();
  }

  fit(): void {
    this.#isFollowing = true;
    this.#fit();
    this.#moved();
  }

  /** Zooms by a factor around the middle. */
  zoom(factor: number): void {
    this.#isFollowing = false;
    this.camera.zoomAt(this.camera.width / 2, this.camera.height / 2, factor);
    this.#moved();
  }

  pan(pixelsX: number, pixelsY: number): void {
    this.#isFollowing = false;
    this.camera.pan(pixelsX, pixelsY);
    this.#moved();
  }

  /** Puts a node into the middle. */
  centre(place: number): void {
    const turn = this.#shown?.visible.turnOf[place] ?? -1;
    if (turn < 0 || !Number.isFinite(this.#positions[2 * turn]!)) return;
    this.#isFollowing = false;
    this.camera.x = this.#positions[2 * turn]!;
    this.camera.y = this.#positions[2 * turn + 1]!;
    this.#moved();
  }

  /** Where a node is on the screen, in CSS pixels from the corner of the element; null when it is not shown. */
  screenOf(place: number): { readonly x: number; readonly y: number } | null {
    const turn = this.#shown?.visible.turnOf[place] ?? -1;
    if (turn < 0 || !Number.isFinite(this.#positions[2 * turn]!)) return null;
    return {
      x: this.camera.screenX(this.#positions[2 * turn]!),
      y: this.camera.screenY(this.#positions[2 * turn + 1]!),
    };
  }

  end(): void {
    this.#listening.abort();
    this.#gestures.end();
    this.#resizes.disconnect();
    this.#layout.end();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#rest);
    this.#gl?.getExtension('WEBGL_lose_context')?.loseContext();
    this.#plane.remove();
    this.#names.remove();
  }

  #begin(): void {
    this.#gl = this.#plane.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false });
    if (this.#gl === null) {
      this.#listener.unable('This browser has no WebGL 2, so the graph is not drawn; the list has the same content.');
      return;
    }
    this.#start();
  }

  #start(): void {
    if (this.#gl === null) return;
    try {
      this.#renderer = new Renderer(this.#gl, this.#theme);
    } catch (error) {
      this.#listener.unable(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#listener.unable(null);
    this.#redraw();
  }

  #lose(event: Event): void {
    // Said so, the browser gives the context back when it can.
    event.preventDefault();
    this.#renderer = null;
    this.#listener.unable(
      'The graphics driver was reset; the graph is drawn again when it is back. The list has the same content.',
    );
  }

  #retheme(): void {
    this.#theme = themeOf(isDark(this.#root));
    if (this.#renderer !== null) this.#start();
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#root;
    // Hidden for a while: what is not seen keeps its size.
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#ratio = Math.min(2, devicePixelRatio);
    this.camera.resize(clientWidth, clientHeight);
    for (const canvas of [this.#plane, this.#names]) {
      canvas.width = Math.max(1, Math.round(clientWidth * this.#ratio));
      canvas.height = Math.max(1, Math.round(clientHeight * this.#ratio));
    }
    if (this.#isFollowing) this.#fit();
    this.#moved();
  }

  #timed(work: () => void): void {
    const from = performance.now();
    work();
    this.figures.add(performance.now() - from);
  }

  #group(communities: Int32Array): void {
    if (this.#shown === null) return;
    const { model, visible } = this.#shown;
    const before = Int32Array.from(visible.nodes, (place) => model.community[place]!);
    const numbers = keptNumbers(communities, before);
    for (let turn = 0; turn < numbers.length; turn++) model.community[visible.nodes[turn]!] = numbers[turn]!;
    this.#redraw();
  }

  #place(positions: Float32Array): void {
    this.#positions = positions.slice();
    this.#isPlaced = true;
    this.#areNewPositions = true;
    this.#grid = null;
    this.#moved();
  }

  /** Nodes keep their places in the model when they are no longer among the visible. */
  keepPositions(): void {
    if (this.#shown === null) return;
    const { model, visible } = this.#shown;
    if (model.nodeCount < visible.turnOf.length) return;
    for (let turn = 0; turn < visible.nodes.length; turn++) {
      model.x[visible.nodes[turn]!] = this.#positions[2 * turn]!;
      model.y[visible.nodes[turn]!] = this.#positions[2 * turn + 1]!;
    }
  }

  /** Colours, sizes or names have changed: everything is made ready again. */
  #redraw(): void {
    if (this.#shown === null) return;
    const { model, visible, emphasis } = this.#shown;
    const scene = sceneOf(model, visible, emphasis, this.#theme);
    this.#scene = scene;
    this.#grid = null;
    this.#isNewScene = true;
    this.#areNewPositions = true;
    const { nodes } = visible;
    this.#labels.show({
      byDegree: Uint32Array.from(nodes.keys()).sort(
        (a, b) => model.degree[nodes[b]!]! - model.degree[nodes[a]!]! || a - b,
      ),
      nameOf: (turn) => model.nameOf(nodes[turn]!),
      communityOf: (turn) => model.community[nodes[turn]!]!,
      radiusOf: (turn) => this.#radius(turn),
    });
    this.#moved();
  }

  get #zoom(): number {
    return Math.min(4, Math.max(0.6, Math.sqrt(this.camera.scale / this.#restScale)));
  }

  /** In CSS pixels. */
  #radius(turn: number): number {
    return Math.max(1, this.#scene!.radii[turn]! * this.#zoom);
  }

  #fit(): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < this.#positions.length; at += 2) {
      const [x, y] = [this.#positions[at]!, this.#positions[at + 1]!];
      if (!Number.isFinite(x)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    if (left > right) return;
    this.camera.fit({ left, top, right, bottom }, MARGIN, SCALE_MAX_FIT);
    this.#restScale = this.camera.scale;
  }

  #moved(): void {
    this.#movedAt = performance.now();
    this.#hasMoved = true;
    this.#ask();
  }

  #ask(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const from = performance.now();
    this.#frame = 0;
    const isMoving = this.#isLaying || this.#hasMoved || from - this.#movedAt < REST_MS;
    this.#hasMoved = false;
    if (this.#isPlaced) this.#drawPlaced(isMoving);
    this.#layout.next();
    this.figures.frame(from, performance.now());
    clearTimeout(this.#rest);
    // What is being laid out asks for the next frame itself, by its next message.
    if (isMoving && !this.#isLaying) this.#rest = setTimeout(() => this.#ask(), REST_MS + 20);
    else if (!isMoving) this.figures.rest();
  }

  #drawPlaced(isMoving: boolean): void {
    const renderer = this.#renderer;
    const scene = this.#scene;
    if (this.#areNewPositions && this.#isFollowing) this.#fit();
    if (renderer === null || scene === null) return;
    if (this.#isNewScene) renderer.show(scene);
    if (this.#areNewPositions || this.#isNewScene) renderer.move(this.#positions);
    this.#isNewScene = false;
    this.#areNewPositions = false;
    const withEdges = !isMoving || scene.edgeCount <= EDGES_MOVING_MAX;
    renderer.draw({ camera: this.camera, ratio: this.#ratio, zoom: this.#zoom, withEdges });
    this.#labels.draw(this.camera, this.#positions, this.#firstLabels(), this.#theme, this.#ratio, isMoving);
  }

  #firstLabels(): number[] {
    if (this.#shown === null) return [];
    const { visible, emphasis } = this.#shown;
    const places = [this.#hovered, ...emphasis.picked, ...emphasis.pathNodes];
    return places.map((place) => visible.turnOf[place] ?? -1).filter((turn) => turn >= 0);
  }

  /** The place of the node under a point, -1 when there is none. */
  #hit(x: number, y: number, isTouch: boolean): number {
    if (this.#shown === null || this.#scene === null) return -1;
    const { nodes } = this.#shown.visible;
    this.#grid ??= new Grid(
      this.#positions.filter((_, at) => at % 2 === 0),
      this.#positions.filter((_, at) => at % 2 === 1),
      nodes.length,
    );
    const { scale } = this.camera;
    const reach = (isTouch ? REACH.touch : REACH.mouse) / scale;
    const radiusMax = (this.#scene.radiusMax * this.#zoom) / scale;
    const radiusOf = (turn: number): number => this.#radius(turn) / scale;
    const turn = this.#grid.nearest(this.camera.worldX(x), this.camera.worldY(y), reach, radiusOf, radiusMax);
    return turn < 0 ? -1 : nodes[turn]!;
  }

  #gestureTarget(): ConstructorParameters<typeof Gestures>[1] {
    const turnOf = (place: number): number => this.#shown?.visible.turnOf[place] ?? -1;
    return {
      hit: (x, y, isTouch) => this.#hit(x, y, isTouch),
      pan: (x, y) => this.pan(x, y),
      zoom: (x, y, factor) => {
        this.#isFollowing = false;
        this.camera.zoomAt(x, y, factor);
        this.#moved();
      },
      click: (place, isAlso) => this.#listener.clicked(place, isAlso),
      doubleClick: (place) => this.#listener.opened(place),
      hover: (place) => {
        if (place === this.#hovered) return;
        this.#hovered = place;
        this.#root.style.cursor = place < 0 ? 'grab' : 'pointer';
        this.#listener.hovered(place);
        this.#ask();
      },
      dragTo: (place, x, y) => {
        this.#isFollowing = false;
        const turn = turnOf(place);
        if (turn >= 0) this.#layout.hold(turn, this.camera.worldX(x), this.camera.worldY(y));
      },
      drop: (place) => {
        const turn = turnOf(place);
        if (turn >= 0) this.#layout.release(turn);
      },
    };
  }
}

/** By the colour of its text, which follows the system or the page around it. */
export function isDark(element: Element): boolean {
  const [red = 0] = getComputedStyle(element).color.match(/\d+/g) ?? [];
  return Number(red) > 127;
}
