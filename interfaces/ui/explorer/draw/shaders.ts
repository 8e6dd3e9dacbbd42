/**
 * The programs of the renderer (GLSL ES 3.00). All of them look positions up in a texture by the turn of a node. A unit of
 * `offset` is a CSS pixel. `zoom` scales radii.
 */

const COMMON = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D positions;
uniform vec2 middle;
uniform vec2 size;
uniform float scale;
uniform float zoom;
vec2 at(uint node) {
  int n = int(node);
  return (texelFetch(positions, ivec2(n & 1023, n >> 10), 0).xy - middle) * scale;
}
vec4 placed(vec2 pixel) {
  return vec4(pixel.x * 2.0 / size.x, -pixel.y * 2.0 / size.y, 0.0, 1.0);
}
`;

const EDGE_INPUT = `
layout(location = 0) in uvec4 edge;
layout(location = 1) in float targetRadius;
out vec4 colour;
vec4 unpacked(uint c) {
  return vec4(float(c & 255u), float((c >> 8) & 255u), float((c >> 16) & 255u), 255.0) / 255.0;
}
/* Edges between the same two nodes lie beside each other, 3 pixels apart, by turns on one side and the other. */
vec2 lane(vec2 along) {
  float n = float((edge.w >> 8) & 255u);
  float side = mod(n, 2.0) == 1.0 ? ceil(n / 2.0) : -n / 2.0;
  float sign = edge.x < edge.y ? 1.0 : -1.0;
  return vec2(-along.y, along.x) * side * 3.0 * sign;
}
`;

const COLOURED = `#version 300 es
precision mediump float;
in vec4 colour;
out vec4 fragment;
void main() { fragment = colour; }
`;

/** How each program of edges begins: where the edge goes from and to, how long it is, its colour. */
const EDGE_ENDS = `
void main() {
  vec2 from = at(edge.x);
  vec2 to = at(edge.y);
  vec2 along = to - from;
  float length_ = length(along);
  colour = unpacked(edge.z);
`;

export const LINES = {
  vertex: `${COMMON}${EDGE_INPUT}${EDGE_ENDS}  vec2 shift = length_ > 0.0 ? lane(along / length_) : vec2(0.0);
  gl_Position = placed((gl_VertexID == 0 ? from : to) + shift);
}
`,
  fragment: COLOURED,
};

export const ARROWS = {
  vertex: `${COMMON}${EDGE_INPUT}${EDGE_ENDS}  float radius = max(targetRadius * zoom, 1.0) + 1.5;
  /* An edge shorter than its arrow has none: the triangle shrinks to a point. */
  float long_ = length_ > radius + 12.0 ? 6.0 : 0.0;
  vec2 unit = length_ > 0.0 ? along / length_ : vec2(0.0);
  vec2 tip = to - unit * radius + lane(unit);
  vec2 side = vec2(-unit.y, unit.x) * long_ * 0.45;
  vec2 corner = gl_VertexID == 0 ? tip : tip - unit * long_ + (gl_VertexID == 1 ? side : -side);
  gl_Position = placed(corner);
}
`,
  fragment: COLOURED,
};

export const STRONG = {
  vertex: `${COMMON}${EDGE_INPUT}
out float run;
flat out uint style;
void main() {
  vec2 from = at(edge.x);
  vec2 to = at(edge.y);
  vec2 along = to - from;
  float length_ = length(along);
  vec2 unit = length_ > 0.0 ? along / length_ : vec2(0.0);
  float width = (edge.w & 8u) != 0u ? 1.7 : 1.1;
  vec2 side = vec2(-unit.y, unit.x) * width * ((gl_VertexID & 1) == 0 ? 1.0 : -1.0);
  colour = unpacked(edge.z);
  run = gl_VertexID < 2 ? 0.0 : length_;
  style = edge.w;
  gl_Position = placed((gl_VertexID < 2 ? from : to) + side);
}
`,
  fragment: `#version 300 es
precision highp float;
precision highp int;
in vec4 colour;
in float run;
flat in uint style;
out vec4 fragment;
void main() {
  if ((style & 2u) != 0u && mod(run, 9.0) > 5.0) discard;
  fragment = colour;
}
`,
};

export const NODES = {
  vertex: `${COMMON}
layout(location = 0) in uint node;
layout(location = 1) in float radius;
layout(location = 2) in uvec2 look;
out vec2 offset;
flat out vec3 colour;
flat out float round_;
flat out uint style;
void main() {
  float r = max(radius * zoom, 1.0);
  style = look.y;
  bool isLoop = (style & 16u) != 0u;
  float ring = (style & 7u) != 0u ? 6.0 : 1.5;
  round_ = isLoop ? r * 0.8 + 4.0 : r;
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  offset = corner * (round_ + ring);
  colour = vec3(float(look.x & 255u), float((look.x >> 8) & 255u), float((look.x >> 16) & 255u)) / 255.0;
  vec2 aside = isLoop ? vec2(1.0, -1.0) * (r * 0.8 + 2.0) : vec2(0.0);
  gl_Position = placed(at(node) + aside + offset);
}
`,
  fragment: `#version 300 es
precision highp float;
precision highp int;
uniform vec3 background;
uniform vec3 added;
uniform vec3 removed;
uniform vec3 picked;
in vec2 offset;
flat in vec3 colour;
flat in float round_;
flat in uint style;
out vec4 fragment;
void main() {
  float away = length(offset);
  if ((style & 16u) != 0u) {
    float line = 1.0 - clamp(abs(away - round_) - 0.3, 0.0, 1.0);
    if (line <= 0.0) discard;
    fragment = vec4(mix(background, colour, 0.7), line);
    return;
  }
  float inside = 1.0 - smoothstep(round_ - 0.5, round_ + 0.5, away);
  vec3 fill = colour;
  if ((style & 3u) != 0u && round_ >= 3.0) {
    /* The sign of the change: a bar, and for what was added another across it. */
    float arm = round_ * 0.55;
    float thick = max(0.8, round_ * 0.16);
    vec2 from = abs(offset);
    bool isBar = from.y < thick && from.x < arm;
    bool isAcross = (style & 1u) != 0u && from.x < thick && from.y < arm;
    if (isBar || isAcross) fill = background;
  }
  float halo = 1.0 - smoothstep(round_ + 0.5, round_ + 1.3, away);
  float ringAt = abs(away - (round_ + 3.6));
  float ring = (style & 7u) != 0u ? 1.0 - smoothstep(0.7, 1.5, ringAt) : 0.0;
  vec3 ringColour = (style & 1u) != 0u ? added : (style & 2u) != 0u ? removed : picked;
  if ((style & 2u) != 0u && fract(atan(offset.y, offset.x) * 10.0 / 6.2831853) > 0.55) ring = 0.0;
  float alpha = max(max(inside, halo), ring);
  if (alpha <= 0.0) discard;
  vec3 body = mix(background, fill, inside);
  fragment = vec4(ring > max(inside, halo) ? ringColour : body, alpha);
}
`,
};
