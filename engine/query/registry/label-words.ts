/** The words of labels (semantics of graphs, 2.4). */

/** Best first. */
export const FRESHNESS = ['fresh', 'recomputing', 'stale'] as const;
export const DURABILITY = ['backed', 'reproducible', 'soleRecord'] as const;
/** Besides what a store adds by its configuration. */
export const GRAPH_KINDS = ['operational', 'archive', 'reference', 'derived', 'staging', 'quarantine'] as const;
export type Freshness = (typeof FRESHNESS)[number];
export type Durability = (typeof DURABILITY)[number];

export const AXES = ['freshness', 'durability', 'trust', 'policy', 'kind'] as const;
export type Axis = (typeof AXES)[number];
