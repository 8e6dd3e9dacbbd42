/**
 * Sets properties of style on an element: `<div ${styled({ height: '3px', '--columns': 'a b' })}>`. Lit's own `styleMap` writes the
 * attribute when it first draws, which the policy of the page refuses; this sets each property by itself.
 */

import { Directive, directive, type ElementPart, noChange, type PartInfo, PartType } from './lit.js';

class Styled extends Directive {
  readonly #names = new Set<string>();

  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error('styled stands in a tag, not in an attribute');
  }

  render(_properties: Readonly<Record<string, string>>): typeof noChange {
    return noChange;
  }

  override update({ element }: ElementPart, [properties]: [Readonly<Record<string, string>>]): typeof noChange {
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) return noChange;
    for (const name of this.#names) if (!(name in properties)) element.style.removeProperty(name);
    this.#names.clear();
    for (const [name, value] of Object.entries(properties)) {
      element.style.setProperty(name, value);
      this.#names.add(name);
    }
    return noChange;
  }
}

/** Names as in a style sheet: `padding-left`, `--columns`. */
export const styled = directive(Styled);
