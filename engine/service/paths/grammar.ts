/**
 * The grammar by which trajectories are compared, `gp-grammar/1` (semantics of reasoning, 11.3): a step is what was done and the
 * class of what it was done to; a trajectory conforms when the pattern is a subsequence of its steps. Any change of these
 * rules is a grammar of another number.
 */

export const GRAMMAR = 'gp-grammar/1';

export interface Signature {
  /** Exactly as it was written. */
  readonly actionKind: string;
  /** The least type of the target, or `none`, `literal`, `untyped`. */
  readonly targetClass: string;
}

export type Conformance = 'Conforms' | 'CannotEvaluate' | { readonly DeviatesAt: { readonly pattern_index: number } };

/** Null = a step without a kind, which neither matches nor deviates. */
export function conformanceOf(pattern: readonly Signature[], steps: readonly (Signature | null)[]): Conformance {
  const evaluable = steps.filter((one) => one !== null);
  if (evaluable.length === 0) return 'CannotEvaluate';
  let matched = 0;
  for (const step of evaluable) {
    const wanted = pattern[matched];
    if (wanted === undefined) break;
    if (step.actionKind === wanted.actionKind && step.targetClass === wanted.targetClass) matched++;
  }
  return matched === pattern.length ? 'Conforms' : { DeviatesAt: { pattern_index: matched } };
}
