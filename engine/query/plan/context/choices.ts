/** Choices of the planner that can be switched off in the same way. */
export const PLAN_CHOICES = [
  'merge-joins',
  'intersections',
  'stars',
  'index-joins',
  /** Off: hash joins only where nothing else joins. */
  'hash-joins',
  /** Parts that comparisons connect are joined by sorted values. */
  'range-joins',
  /** Paths walked from the rows that bind an end. */
  'closure-joins',
  'join-order',
  'early-filters',
  /** Comparisons with constants narrow scans. */
  'range-scans',
  /** The text index finds what contains a text. */
  'text-index',
  'sorted-groups',
  /** DISTINCT by comparing neighbours where an order of the index brings equal rows together. */
  'adjacent-distincts',
  'unordered-scans',
  /** Columns that nothing above reads are left out. */
  'prune-columns',
  /** Computed values that are matched with no stored term are not looked for in the store. */
  'query-local',
  /** Computed terms are forgotten once the batch that they are in is done. */
  'transient-terms',
  /** Off: OPTIONAL, EXISTS and MINUS by hash tables, where those can answer. */
  'row-by-row',
  /** GRAPH ?g around a subquery or MINUS, for all graphs at once. */
  'across-graphs',
  /** What shares nothing with what EXISTS, ASK, MINUS or DISTINCT read is asked once. */
  'existential-parts',
  /** EXISTS that compares values of both sides, by a hash table over few rows of the pattern. */
  'compared-exists',
] as const;
export type PlanChoice = (typeof PLAN_CHOICES)[number];
