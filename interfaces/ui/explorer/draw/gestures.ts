/** Pointers and wheel over the graph: drag to pan or to move a node, wheel and two fingers to zoom, click and double click. */

export interface GestureTarget {
  /** The node under a point of the element, in CSS pixels; -1 when there is none. */
  hit(x: number, y: number, isTouch: boolean): number;
  pan(pixelsX: number, pixelsY: number): void;
  zoom(x: number, y: number, factor: number): void;
  click(node: number, isAlso: boolean): void;
  doubleClick(node: number): void;
  hover(node: number): void;
  dragTo(node: number, x: number, y: number): void;
  drop(node: number): void;
}

/** Pixels that a finger or a mouse may move while it clicks. */
const CLICK_REACH = 4;
const WHEEL_STEP = 0.0015;
const DOUBLE_CLICK_MS = 350;

interface Pointer {
  readonly startX: number;
  readonly startY: number;
  x: number;
  y: number;
}

export class Gestures {
  readonly #element: HTMLElement;
  readonly #target: GestureTarget;
  /** Whether the wheel zooms, or scrolls the page around. */
  readonly #takesWheel: () => boolean;
  readonly #pointers = new Map<number, Pointer>();
  readonly #listening = new AbortController();
  #dragged = -1;
  #isDrag = false;
  #lastClick = { node: -1, at: Number.NEGATIVE_INFINITY };

  constructor(element: HTMLElement, target: GestureTarget, takesWheel: () => boolean) {
    this.#element = element;
    this.#target = target;
    this.#takesWheel = takesWheel;
    const { signal } = this.#listening;
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    element.addEventListener('pointerup', (event) => this.#up(event), { signal });
    element.addEventListener('pointercancel', (event) => this.#leave(event), { signal });
    element.addEventListener('pointerleave', () => this.#target.hover(-1), { signal });
    element.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
  }

  end(): void {
    this.#listening.abort();
  }

  #point(event: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { x, y } = this.#point(event);
    this.#element.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { startX: x, startY: y, x, y });
    if (this.#pointers.size === 1) {
      this.#isDrag = false;
      this.#dragged = this.#target.hit(x, y, event.pointerType === 'touch');
    } else {
      this.#letGo();
      this.#isDrag = true;
    }
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#point(event);
    const pointer = this.#pointers.get(event.pointerId);
    if (pointer === undefined) {
      this.#target.hover(this.#target.hit(x, y, false));
      return;
    }
    if (this.#pointers.size === 1) {
      if (!this.#isDrag && Math.hypot(x - pointer.startX, y - pointer.startY) < CLICK_REACH) return;
      this.#isDrag = true;
      if (this.#dragged >= 0) this.#target.dragTo(this.#dragged, x, y);
      else this.#target.pan(x - pointer.x, y - pointer.y);
    } else {
      this.#pinch(pointer, x, y);
    }
    pointer.x = x;
    pointer.y = y;
  }

  /** One of two fingers has moved: the plane follows both. */
  #pinch(moved: Pointer, x: number, y: number): void {
    const other = [...this.#pointers.values()].find((one) => one !== moved);
    if (other === undefined) return;
    const before = Math.hypot(moved.x - other.x, moved.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    this.#target.pan((x - moved.x) / 2, (y - moved.y) / 2);
    if (before > 0 && after > 0) this.#target.zoom((x + other.x) / 2, (y + other.y) / 2, after / before);
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.has(event.pointerId)) return;
    if (!this.#isDrag) this.#click(event);
    this.#leave(event);
  }

  #click(event: PointerEvent): void {
    const node = this.#dragged;
    const isDouble =
      node >= 0 && node === this.#lastClick.node && event.timeStamp - this.#lastClick.at < DOUBLE_CLICK_MS;
    this.#lastClick = { node, at: isDouble ? Number.NEGATIVE_INFINITY : event.timeStamp };
    if (isDouble) this.#target.doubleClick(node);
    else this.#target.click(node, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  #leave(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#isDrag) this.#letGo();
    this.#dragged = -1;
  }

  #letGo(): void {
    if (this.#isDrag && this.#dragged >= 0) this.#target.drop(this.#dragged);
    this.#dragged = -1;
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !this.#takesWheel()) return;
    event.preventDefault();
    const { x, y } = this.#point(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    this.#target.zoom(x, y, Math.exp(-event.deltaY * lines * WHEEL_STEP * (event.ctrlKey ? 4 : 1)));
  }
}
