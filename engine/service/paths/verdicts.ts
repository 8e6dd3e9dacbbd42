/** What is said of a step of a trajectory. */

export const CONE_VERDICTS = ['InCone', 'OutOfCone', 'CannotEvaluate'] as const;
export type ConeVerdict = (typeof CONE_VERDICTS)[number];
