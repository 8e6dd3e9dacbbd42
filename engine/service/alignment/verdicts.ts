/** What is decided of a pair of entities: that they are one, or two. */

export const ALIGNMENT_VERDICTS = ['accept', 'negate'] as const;
export type AlignmentVerdict = (typeof ALIGNMENT_VERDICTS)[number];
