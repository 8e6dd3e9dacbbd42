/**
 * The renderer alone, for pages that have a graph of their own: `import { drawGraph } from '.../graph-canvas.js'`. It asks no server.
 * The element gives the size; the colour of its text says whether it is light or dark.
 */
import type { ColourBy } from './explorer/draw/scene.js';
import { GraphCanvas } from './explorer/graph-canvas.js';
import { layoutWorker } from './explorer/layout/start.js';
import { type EdgeFacts, GraphModel, type NodeFacts } from './explorer/model/graph-model.js';
import { NO_FILTERS, visibleOf } from './explorer/model/visible.js';

export interface DrawnGraph {
  readonly nodes: readonly NodeFacts[];
  readonly edges: readonly EdgeFacts[];
}

export interface DrawOptions {
  readonly colourBy?: ColourBy;
  /** A node was clicked: its IRI. */
  readonly click?: (iri: string) => void;
  /** Nothing can be drawn, and why: a page without WebGL 2 shows its graph in another way. Null when it can again. */
  readonly unable?: (reason: string | null) => void;
}

export interface Drawing {
  /** Shows another graph; nodes that were there stay where they are. */
  show(graph: DrawnGraph): void;
  pause(): void;
  resume(): void;
  fit(): void;
  /** Takes the drawing away, with its worker. */
  end(): void;
}

export function drawGraph(element: HTMLElement, graph: DrawnGraph, options: DrawOptions = {}): Drawing {
  let model = new GraphModel();
  const picked = new Set<number>();
  const emphasis = () => ({
    colourBy: options.colourBy ?? ('community' as const),
    picked,
    pathNodes: new Set<number>(),
    pathEdges: new Set<number>(),
  });
  const canvas = new GraphCanvas(element, {
    layoutWorker,
    takesWheel: () => true,
    listener: {
      clicked: (place) => {
        picked.clear();
        const iri = model.iris[place];
        if (iri !== undefined) {
          picked.add(place);
          options.click?.(iri);
        }
        canvas.emphasise(emphasis());
      },
      opened: () => undefined,
      hovered: () => undefined,
      laidOut: () => undefined,
      unable: (reason) => options.unable?.(reason),
    },
  });
  const show = ({ nodes, edges }: DrawnGraph): void => {
    const next = new GraphModel();
    for (const node of nodes) next.addNode(node);
    for (const edge of edges) next.addEdge(edge);
    canvas.keepPositions();
    for (let place = 0; place < next.nodeCount; place++) {
      const before = model.placeOf(next.iris[place]!);
      if (before < 0) continue;
      next.x[place] = model.x[before]!;
      next.y[place] = model.y[before]!;
    }
    model = next;
    picked.clear();
    canvas.show(model, visibleOf(model, NO_FILTERS), emphasis());
  };
  show(graph);
  return {
    show,
    pause: () => canvas.pause(),
    resume: () => canvas.resume(),
    fit: () => canvas.fit(),
    end: () => canvas.end(),
  };
}
