/** Where one looks at the plane of the graph. World units are those of the layout; screen units are CSS pixels, y downwards. */

export const SCALE_MIN = 1e-4;
export const SCALE_MAX = 400;

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export class Camera {
  /** The point of the world in the middle of the screen. */
  x = 0;
  y = 0;
  /** Pixels a unit of the world. */
  scale = 1;
  width = 1;
  height = 1;

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
  }

  screenX(x: number): number {
    return (x - this.x) * this.scale + this.width / 2;
  }

  screenY(y: number): number {
    return (y - this.y) * this.scale + this.height / 2;
  }

  worldX(screenX: number): number {
    return (screenX - this.width / 2) / this.scale + this.x;
  }

  worldY(screenY: number): number {
    return (screenY - this.height / 2) / this.scale + this.y;
  }

  pan(pixelsX: number, pixelsY: number): void {
    this.x -= pixelsX / this.scale;
    this.y -= pixelsY / this.scale;
  }

  /** Zooms by `factor` so that what is under the point of the screen stays there. */
  zoomAt(screenX: number, screenY: number, factor: number): void {
    const x = this.worldX(screenX);
    const y = this.worldY(screenY);
    this.scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, this.scale * factor));
    this.x = x - (screenX - this.width / 2) / this.scale;
    this.y = y - (screenY - this.height / 2) / this.scale;
  }

  /** Shows all of a box of the world, with `margin` pixels around it. A box without size is shown at `scaleMax`. */
  fit({ left, top, right, bottom }: Box, margin: number, scaleMax: number): void {
    this.x = (left + right) / 2;
    this.y = (top + bottom) / 2;
    const across = Math.max(1, this.width - 2 * margin) / Math.max(right - left, 1e-9);
    const down = Math.max(1, this.height - 2 * margin) / Math.max(bottom - top, 1e-9);
    this.scale = Math.min(scaleMax, SCALE_MAX, Math.max(SCALE_MIN, Math.min(across, down)));
  }
}
