/** Lit: elements that draw themselves again when their properties change. Everything of it that the page uses comes from here. */
export {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  noChange,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  svg,
  type TemplateResult,
  unsafeCSS,
} from 'lit';
export { Directive, directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';
export { classMap } from 'lit/directives/class-map.js';
export { live } from 'lit/directives/live.js';
export { createRef, type Ref, ref } from 'lit/directives/ref.js';
export { repeat } from 'lit/directives/repeat.js';
