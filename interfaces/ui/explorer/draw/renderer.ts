/**
 * Draws a scene with WebGL 2, in at most four calls however many nodes there are: lines, arrows, strong edges, nodes.
 * Positions stand in a texture of two floats a node, 1,024 nodes a row; edges and nodes are instances that name nodes.
 * No antialiasing of the canvas, which costs a multiple: circles smooth their own edges.
 */
import type { Camera } from './camera.js';
import { EDGE_NUMBERS, NODE_NUMBERS, type Scene } from './scene.js';
import { ARROWS, LINES, NODES, STRONG } from './shaders.js';
import type { Colour, Theme } from './theme.js';

const TEXTURE_WIDTH = 1024;
/** With more edges arrows are dust: they are left out. */
const ARROWS_EDGES_MAX = 1500;

export interface FrameView {
  readonly camera: Camera;
  /** Device pixels a CSS pixel. */
  readonly ratio: number;
  /** Factor of radii. */
  readonly zoom: number;
  readonly withEdges: boolean;
}

interface Program {
  readonly program: WebGLProgram;
  readonly uniforms: ReadonlyMap<string, WebGLUniformLocation>;
  readonly array: WebGLVertexArrayObject;
}

export class Renderer {
  /** Draw calls of the last frame. */
  drawCalls = 0;
  readonly #gl: WebGL2RenderingContext;
  readonly #theme: Theme;
  readonly #texture: WebGLTexture;
  readonly #buffers: { readonly edges: WebGLBuffer; readonly strong: WebGLBuffer; readonly nodes: WebGLBuffer };
  readonly #lines: Program;
  readonly #arrows: Program;
  readonly #strong: Program;
  readonly #nodes: Program;
  #scene: Scene | null = null;
  #rows = 0;
  /** Positions padded to whole rows of the texture. */
  #padded = new Float32Array(0);

  constructor(gl: WebGL2RenderingContext, theme: Theme) {
    this.#gl = gl;
    this.#theme = theme;
    this.#texture = gl.createTexture();
    this.#buffers = { edges: gl.createBuffer(), strong: gl.createBuffer(), nodes: gl.createBuffer() };
    const edgeInput = (buffer: WebGLBuffer): (() => void) => {
      return () => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        instanced(gl, 0, 4, 'integer', EDGE_NUMBERS, 0);
        instanced(gl, 1, 1, 'float', EDGE_NUMBERS, 4);
      };
    };
    this.#lines = program(gl, LINES, edgeInput(this.#buffers.edges));
    this.#arrows = program(gl, ARROWS, edgeInput(this.#buffers.edges));
    this.#strong = program(gl, STRONG, edgeInput(this.#buffers.strong));
    this.#nodes = program(gl, NODES, () => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers.nodes);
      instanced(gl, 0, 1, 'integer', NODE_NUMBERS, 0);
      instanced(gl, 1, 1, 'float', NODE_NUMBERS, 1);
      instanced(gl, 2, 2, 'integer', NODE_NUMBERS, 2);
    });
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Uploads a scene; its positions follow. */
  show(scene: Scene): void {
    const gl = this.#gl;
    this.#scene = scene;
    for (const name of ['edges', 'strong', 'nodes'] as const) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, scene[name], gl.DYNAMIC_DRAW);
    }
    const rows = Math.max(1, Math.ceil(scene.nodeCount / TEXTURE_WIDTH));
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#padded = new Float32Array(rows * TEXTURE_WIDTH * 2);
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG32F, TEXTURE_WIDTH, rows, 0, gl.RG, gl.FLOAT, this.#padded);
  }

  /** x and y of each node of the scene, all finite: a line to nowhere stops a software driver for good. */
  move(positions: Float32Array): void {
    const gl = this.#gl;
    for (let at = 0; at < Math.min(positions.length, this.#padded.length); at++) {
      const one = positions[at]!;
      this.#padded[at] = Number.isFinite(one) ? one : 0;
    }
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, this.#rows, gl.RG, gl.FLOAT, this.#padded);
  }

  draw(view: FrameView): void {
    const gl = this.#gl;
    const { camera, ratio, withEdges } = view;
    this.drawCalls = 0;
    gl.viewport(0, 0, Math.round(camera.width * ratio), Math.round(camera.height * ratio));
    const [red, green, blue] = shares(this.#theme.background);
    gl.clearColor(red, green, blue, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const scene = this.#scene;
    if (scene === null) return;
    gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    if (withEdges) {
      this.#instances(this.#lines, view, gl.LINES, 2, scene.edgeCount);
      if (scene.edgeCount <= ARROWS_EDGES_MAX) this.#instances(this.#arrows, view, gl.TRIANGLES, 3, scene.edgeCount);
    }
    this.#instances(this.#strong, view, gl.TRIANGLE_STRIP, 4, scene.strongCount);
    this.#instances(this.#nodes, view, gl.TRIANGLE_STRIP, 4, scene.instanceCount);
  }

  #instances(used: Program, view: FrameView, mode: number, vertices: number, count: number): void {
    if (count === 0) return;
    const gl = this.#gl;
    const { camera, zoom } = view;
    gl.useProgram(used.program);
    const at = (name: string): WebGLUniformLocation | null => used.uniforms.get(name) ?? null;
    gl.uniform2f(at('middle'), camera.x, camera.y);
    gl.uniform2f(at('size'), camera.width, camera.height);
    gl.uniform1f(at('scale'), camera.scale);
    gl.uniform1f(at('zoom'), zoom);
    gl.uniform3fv(at('background'), shares(this.#theme.background));
    gl.uniform3fv(at('added'), shares(this.#theme.added));
    gl.uniform3fv(at('removed'), shares(this.#theme.removed));
    gl.uniform3fv(at('picked'), shares(this.#theme.accent));
    gl.bindVertexArray(used.array);
    gl.drawArraysInstanced(mode, 0, vertices, count);
    gl.bindVertexArray(null);
    this.drawCalls++;
  }
}

function shares([red, green, blue]: Colour): [number, number, number] {
  return [red / 255, green / 255, blue / 255];
}

function instanced(
  gl: WebGL2RenderingContext,
  location: number,
  count: number,
  kind: 'integer' | 'float',
  stride: number,
  offset: number,
): void {
  gl.enableVertexAttribArray(location);
  if (kind === 'integer') gl.vertexAttribIPointer(location, count, gl.UNSIGNED_INT, stride * 4, offset * 4);
  else gl.vertexAttribPointer(location, count, gl.FLOAT, false, stride * 4, offset * 4);
  gl.vertexAttribDivisor(location, 1);
}

function program(
  gl: WebGL2RenderingContext,
  { vertex, fragment }: { readonly vertex: string; readonly fragment: string },
  input: () => void,
): Program {
  const made = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind);
    // A context that is lost makes none; its loss is handled where it is told.
    if (shader === null) continue;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
    const shaders = gl.getAttachedShaders(made) ?? [];
    const said = shaders.map((shader) => gl.getShaderInfoLog(shader) ?? '').join('');
    throw new Error(
      `a program of the renderer was refused by the graphics driver: ${said}${gl.getProgramInfoLog(made)}`,
    );
  }
  const uniforms = new Map<string, WebGLUniformLocation>();
  const count: unknown = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
  for (let at = 0; at < Number(count ?? 0); at++) {
    const name = gl.getActiveUniform(made, at)?.name;
    const location = name === undefined ? null : gl.getUniformLocation(made, name);
    if (name !== undefined && location !== null) uniforms.set(name, location);
  }
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  input();
  gl.bindVertexArray(null);
  return { program: made, uniforms, array };
}
