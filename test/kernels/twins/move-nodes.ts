/** Twin of `as/move-nodes.ts`: the rule of semantics of reasoning 10.2 word by word, over communities with slots. */

export interface Moving {
  /** Of each node its neighbours, one for each edge, without itself. */
  readonly neighbours: readonly (readonly number[])[];
  /** Of each node. */
  readonly slots: number[];
  /** Of each slot. */
  readonly labels: number[];
  /** Slots of no community, the next one last. */
  readonly free: number[];
  nextLabel: number;
}

export function moveNodes(moving: Moving, from: number, to: number): number {
  const { neighbours, slots, labels, free } = moving;
  const degree = (node: number): number => (neighbours[node] as readonly number[]).length;
  const whole = neighbours.reduce((sum, list) => sum + list.length, 0);
  let moves = 0;
  for (let node = from; node < to; node++) {
    if (degree(node) === 0) continue;
    const old = slots[node] as number;
    const others = slots.flatMap((slot, other) => (other === node ? [] : [{ slot, other }]));
    const near = [...new Set((neighbours[node] as readonly number[]).map((other) => slots[other] as number))];
    near.sort((a, b) => (labels[a] as number) - (labels[b] as number));
    let [best, most] = [-1, 0];
    for (const slot of near) {
      const edges = (neighbours[node] as readonly number[]).filter((other) => slots[other] === slot).length;
      const sum = others.filter((one) => one.slot === slot).reduce((all, { other }) => all + degree(other), 0);
      const gain = edges - (degree(node) * sum) / whole;
      if (gain > most + 1e-12) [best, most] = [slot, gain];
    }
    const isAlone = others.every(({ slot }) => slot !== old);
    if (best < 0 && !isAlone) {
      best = free.pop() as number;
      labels[best] = moving.nextLabel++;
    }
    if (best < 0 || best === old) continue;
    slots[node] = best;
    if (isAlone) free.push(old);
    moves++;
  }
  return moves;
}
