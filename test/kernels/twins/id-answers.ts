/** Twin of `as/id-answers.ts`: what each row's answer is when every question is answered by `answerOf`. */

const UNDECIDED = 3;
const BY_VALUE = 255;

export function answersOf(
  before: readonly number[],
  ids: readonly bigint[],
  byTag: readonly number[],
  answerOf: (id: bigint) => number,
): number[] {
  return before.map((answer, row) => {
    if (answer !== UNDECIDED) return answer;
    const id = ids[row] as bigint;
    const byKind = byTag[Number(id >> 56n)] as number;
    return byKind === BY_VALUE ? answerOf(id) : byKind;
  });
}
