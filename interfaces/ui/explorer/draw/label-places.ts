/**
 * Chooses which names are written and where, so that none overlaps another. Names come in the order of their weight; each
 * is tried right of its node, left, below and above, and left out when no place is free. What is taken is kept by rows
 * of the height of a line, so that a box is compared with its neighbours only.
 */

export interface LabelBox {
  /** In CSS pixels. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface PlacedLabel extends LabelBox {
  readonly node: number;
}

export interface LabelRequest {
  readonly node: number;
  /** The middle of the node on the screen and its radius, in CSS pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly width: number;
}

export interface LabelArea {
  readonly width: number;
  readonly height: number;
  readonly lineHeight: number;
}

/** Pixels between the edge of a node and its name, and between two names. */
const GAP = 3;

export class LabelPlaces {
  readonly placed: PlacedLabel[] = [];
  readonly #rows = new Map<number, LabelBox[]>();
  readonly #area: LabelArea;
  /** Pairs of boxes that were compared. */
  compared = 0;

  constructor(area: LabelArea) {
    this.#area = area;
  }

  /** Places a name; false when there is no room for it, or its node is outside of the screen. */
  place(request: LabelRequest): boolean {
    const { x, y, radius, width, node } = request;
    if (!(x >= -radius && y >= -radius && x <= this.#area.width + radius && y <= this.#area.height + radius))
      return false;
    const half = this.#area.lineHeight / 2;
    const away = radius + GAP;
    const corners: readonly (readonly [number, number])[] = [
      [x + away, y - half],
      [x - away - width, y - half],
      [x - width / 2, y + away],
      [x - width / 2, y - away - 2 * half],
    ];
    for (const [left, top] of corners) {
      const box = { left, top, right: left + width, bottom: top + 2 * half };
      if (!this.#isInside(box) || !this.#isFree(box)) continue;
      this.#take(box);
      this.placed.push({ node, ...box });
      return true;
    }
    return false;
  }

  #isInside({ left, top, right, bottom }: LabelBox): boolean {
    return left >= 0 && top >= 0 && right <= this.#area.width && bottom <= this.#area.height;
  }

  #isFree(box: LabelBox): boolean {
    for (const row of this.#rowsOf(box)) {
      for (const other of this.#rows.get(row) ?? []) {
        this.compared++;
        if (overlap(box, other)) return false;
      }
    }
    return true;
  }

  #take(box: LabelBox): void {
    for (const row of this.#rowsOf(box)) {
      const boxes = this.#rows.get(row);
      if (boxes === undefined) this.#rows.set(row, [box]);
      else boxes.push(box);
    }
  }

  #rowsOf({ top, bottom }: LabelBox): number[] {
    const rows: number[] = [];
    const first = Math.floor((top - GAP) / this.#area.lineHeight);
    for (let row = first; row <= Math.floor((bottom + GAP) / this.#area.lineHeight); row++) rows.push(row);
    return rows;
  }
}

function overlap(a: LabelBox, b: LabelBox): boolean {
  return a.left < b.right + GAP && b.left < a.right + GAP && a.top < b.bottom && b.top < a.bottom;
}

export interface LabelOrder {
  /** Nodes whose names come first, whatever their degree: picked, hovered, of a path. */
  readonly first: readonly number[];
  /** Nodes by degree, the greatest first. */
  readonly byDegree: ArrayLike<number>;
  readonly communityOf: (node: number) => number;
  readonly labelsMax: number;
  /** Nodes of the order that are tried after those of the communities. */
  readonly triesMax: number;
}

/** Members of a community that are tried until one has a name. */
const TRIES_PER_COMMUNITY = 12;

/** Places the first ones, then one name a community, then the rest by degree, `labelsMax` in all but for the first two. */
export function placeLabels(
  places: LabelPlaces,
  order: LabelOrder,
  requestOf: (node: number) => LabelRequest | null,
): void {
  const done = new Set<number>();
  const named = new Set<number>();
  const tries = new Map<number, number>();
  const put = (node: number): boolean => {
    if (done.has(node)) return false;
    const request = requestOf(node);
    if (request === null || !places.place(request)) return false;
    done.add(node);
    named.add(order.communityOf(node));
    return true;
  };
  for (const node of order.first) put(node);
  for (let at = 0; at < order.byDegree.length; at++) {
    const node = order.byDegree[at]!;
    const community = order.communityOf(node);
    const before = tries.get(community) ?? 0;
    if (named.has(community) || before === TRIES_PER_COMMUNITY) continue;
    const request = requestOf(node);
    // A node outside of the screen is no try: of a community that is half outside, a node inside gets the name.
    if (request === null) continue;
    tries.set(community, before + 1);
    put(node);
  }
  const tried = Math.min(order.byDegree.length, order.triesMax);
  for (let at = 0; at < tried && places.placed.length < order.labelsMax; at++) put(order.byDegree[at]!);
}
