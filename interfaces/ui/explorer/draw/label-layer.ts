/**
 * Names of nodes on a canvas above the graph. At rest names are chosen anew among all nodes; while things move only
 * those that stand already are drawn again, where there is still room for them.
 */
import type { Camera } from './camera.js';
import { LabelPlaces, type LabelRequest, type PlacedLabel, placeLabels } from './label-places.js';
import { type LabelText, labelText } from './label-text.js';
import { css, type Theme } from './theme.js';

export const LINE_HEIGHT = 16;
/** CSS pixels of the screen that a name needs, on average, for the whole to stay readable. */
const AREA_PER_LABEL = 9000;
const LABELS_MAX = 160;
const LABELS_MOVING_MAX = 30;
/** Nodes that are tried beyond those of the communities: the rest has hardly an edge. */
const TRIES_MAX = 1500;

export interface Labelled {
  /** Turns of nodes by degree, the greatest first. */
  readonly byDegree: Uint32Array;
  nameOf(turn: number): string;
  communityOf(turn: number): number;
  radiusOf(turn: number): number;
}

export class LabelLayer {
  /** What stands on the screen. */
  placed: readonly PlacedLabel[] = [];
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #font: string;
  readonly #texts = new Map<number, LabelText & { readonly width: number }>();
  #labelled: Labelled | null = null;

  constructor(canvas: HTMLCanvasElement, font: string) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
    this.#font = font;
  }

  show(labelled: Labelled): void {
    this.#labelled = labelled;
    this.#texts.clear();
    this.placed = [];
  }

  /** `positions`: x and y by turn, in world units. `first`: turns whose names come before others. */
  draw(
    camera: Camera,
    positions: Float32Array,
    first: readonly number[],
    theme: Theme,
    ratio: number,
    isMoving: boolean,
  ): void {
    const context = this.#context;
    const labelled = this.#labelled;
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    if (labelled === null) return;
    context.font = this.#font;
    const { width, height } = camera;
    const places = new LabelPlaces({ width, height, lineHeight: LINE_HEIGHT });
    const requestOf = (node: number): LabelRequest | null => {
      const x = camera.screenX(positions[2 * node]!);
      const y = camera.screenY(positions[2 * node + 1]!);
      if (!(x >= 0 && y >= 0 && x <= width && y <= height)) return null;
      return { node, x, y, radius: labelled.radiusOf(node), width: this.#textOf(node, labelled, context).width };
    };
    const order = { first, communityOf: (node: number) => labelled.communityOf(node) };
    const standing = this.placed.map(({ node }) => node).slice(0, LABELS_MOVING_MAX);
    const labelsMax = Math.min(LABELS_MAX, Math.ceil((width * height) / AREA_PER_LABEL));
    const byDegree = isMoving && standing.length > 0 ? standing : labelled.byDegree;
    const limits = isMoving
      ? { labelsMax: LABELS_MOVING_MAX, triesMax: LABELS_MOVING_MAX }
      : { labelsMax, triesMax: TRIES_MAX };
    placeLabels(places, { ...order, byDegree, ...limits }, requestOf);
    this.placed = places.placed;
    this.#write(context, labelled, theme);
  }

  #write(context: CanvasRenderingContext2D, labelled: Labelled, theme: Theme): void {
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = css(theme.background);
    context.fillStyle = css(theme.text);
    for (const { node, left, top } of this.placed) {
      const { text, direction } = this.#textOf(node, labelled, context);
      context.direction = direction;
      context.textAlign = 'left';
      context.strokeText(text, left, top + LINE_HEIGHT / 2);
      context.fillText(text, left, top + LINE_HEIGHT / 2);
    }
  }

  #textOf(node: number, labelled: Labelled, context: CanvasRenderingContext2D): LabelText & { readonly width: number } {
    const known = this.#texts.get(node);
    if (known !== undefined) return known;
    const text = labelText(labelled.nameOf(node));
    const made = { ...text, width: context.measureText(text.text).width };
    this.#texts.set(node, made);
    return made;
  }
}
