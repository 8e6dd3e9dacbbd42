/** Reads the facts of the node that is picked, once for every node, and again when more of them are wanted. */
import { isAbort } from '../parts/errors.js';
import type { GraphSource } from './ask/graph-source.js';
import { isIri } from './ask/queries.js';
import { type EntityFacts, FACTS_SHOWN } from './entity-panel.js';

/** More facts than these belong into the workbench. */
export const FACTS_SHOWN_MAX = 1000;

export class FactsReader {
  facts: EntityFacts | null = null;
  failure: unknown = null;
  readonly #changed: () => void;
  #of = '';
  #limit = FACTS_SHOWN;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** `from`: names where and when is read: what was read from elsewhere is no longer true. */
  async read(from: string, iri: string, source: () => GraphSource): Promise<void> {
    const wanted = `${from} ${iri}`;
    if (wanted === this.#of) return;
    this.#of = wanted;
    this.#limit = FACTS_SHOWN;
    this.facts = null;
    this.failure = null;
    await this.#ask(iri, source);
  }

  async more(iri: string, source: () => GraphSource): Promise<void> {
    this.#limit = Math.min(FACTS_SHOWN_MAX, this.#limit * 5);
    await this.#ask(iri, source);
  }

  async #ask(iri: string, source: () => GraphSource): Promise<void> {
    if (!isIri(iri)) return;
    const asked = this.#of;
    try {
      const facts = await source().facts(iri, this.#limit);
      if (this.#of === asked) this.facts = facts;
    } catch (error) {
      if (!isAbort(error) && this.#of === asked) this.failure = error;
    }
    this.#changed();
  }
}
