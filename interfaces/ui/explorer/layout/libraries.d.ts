/** CommonJS modules as they export themselves: the first has no types of its own, those of the second describe an ES module. */

declare module 'graphology-layout-forceatlas2/iterate.js' {
  interface Settings {
    readonly linLogMode: boolean;
    readonly outboundAttractionDistribution: boolean;
    readonly adjustSizes: boolean;
    readonly edgeWeightInfluence: number;
    readonly scalingRatio: number;
    readonly strongGravityMode: boolean;
    readonly gravity: number;
    readonly slowDown: number;
    readonly barnesHutOptimize: boolean;
    readonly barnesHutTheta: number;
  }
  /** One iteration, in place. Ten numbers a node, three an edge; an edge names places of the array of nodes. */
  function iterate(settings: Settings, nodes: Float32Array, edges: Float32Array): object;
  export = iterate;
}

declare module 'graphology-communities-louvain' {
  import type { AbstractGraph } from 'graphology-types';

  interface Options {
    readonly getEdgeWeight?: string | null;
    readonly rng?: () => number;
  }
  function louvain(graph: AbstractGraph, options?: Options): Record<string, number>;
  export = louvain;
}
