/** How the explorer looks: filters, the graph, the panel of an entity; in a narrow place the panels lie over the graph. */
import { css } from '../parts/lit.js';

export const explorerStyles = css`
  :host {
    display: block;
    height: 100%;
    min-height: 320px;
    container-type: inline-size;
    background: var(--bg);
  }
  .frame {
    display: grid;
    grid-template-columns: 248px minmax(0, 1fr);
    height: 100%;
    position: relative;
    overflow: hidden;
  }
  .frame.with-entity {
    grid-template-columns: 248px minmax(0, 1fr) 348px;
  }
  .panel {
    overflow: auto;
    background: var(--surface);
    border-inline-end: 1px solid var(--line);
    min-height: 0;
  }
  .panel.entity {
    border-inline: 1px solid var(--line) 0;
  }
  .panel section {
    padding: 10px 12px;
    border-bottom: 1px solid var(--line);
  }
  .row {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 26px;
    width: 100%;
  }
  .row input {
    margin: 0;
    accent-color: var(--accent);
    flex: none;
  }
  .row .number {
    margin-inline-start: auto;
    color: var(--text-3);
    font-size: 12px;
  }
  .row .field {
    flex: 1;
    width: 0;
  }
  .panel .mono {
    overflow-wrap: anywhere;
  }
  .swatch {
    width: 9px;
    height: 9px;
    border-radius: 50%;
    flex: none;
  }
  .stage {
    position: relative;
    min-width: 0;
    min-height: 0;
    overflow: hidden;
    background: light-dark(#fdfdfb, #10141a);
  }
  .plane {
    position: absolute;
    inset: 0;
    color: light-dark(#1b1e23, #e3e7ed);
    user-select: none;
  }
  .plane:focus-visible {
    outline-offset: -2px;
  }
  .tools,
  .below {
    position: absolute;
    inset-inline: 10px;
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
    pointer-events: none;
  }
  .tools > *,
  .below > * {
    pointer-events: auto;
  }
  .tools {
    top: 10px;
    z-index: 3;
  }
  .below {
    bottom: 10px;
    z-index: 2;
    flex-wrap: nowrap;
    align-items: flex-end;
  }
  .segments,
  .below > .card {
    background: var(--surface);
  }
  .card {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    border: 1px solid var(--line);
    border-radius: var(--radius-large);
    padding: 4px 10px;
    font-size: 12px;
    min-width: 0;
  }
  .zooms {
    display: flex;
    flex-direction: column;
    gap: 4px;
    margin-inline-start: auto;
  }
  .zooms .button {
    width: 28px;
    padding: 0;
    justify-content: center;
  }
  .list {
    position: absolute;
    inset: 0;
    overflow: auto;
    padding: 50px 12px 60px;
    background: var(--bg);
    z-index: 1;
  }
  .list ul,
  .panel ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .list li {
    border-bottom: 1px solid var(--line);
  }
  .list .row button {
    flex: 1;
    min-width: 0;
    display: flex;
    gap: 8px;
    align-items: center;
    border: 0;
    background: transparent;
    text-align: start;
    min-height: 26px;
    padding: 0 4px;
    cursor: pointer;
  }
  .list .row button[aria-pressed='true'] {
    background: var(--accent-soft);
    color: var(--accent);
  }
  .middle {
    position: absolute;
    inset: 25% 10% auto;
    z-index: 2;
    display: grid;
    gap: 10px;
    justify-items: center;
    text-align: center;
  }
  .added-mark,
  .removed-mark,
  .picked-mark {
    display: inline-block;
    width: 11px;
    height: 11px;
    border-radius: 50%;
    border: 2px solid var(--accent);
    vertical-align: -1px;
  }
  .added-mark {
    border-color: var(--add);
  }
  .removed-mark {
    border: 2px dashed var(--delete);
  }
  .facts {
    display: grid;
    grid-template-columns: minmax(70px, 42%) minmax(0, 1fr);
    gap: 2px 8px;
    margin: 6px 0 0;
    /* A link is a target of 24 pixels. */
    line-height: 24px;
  }
  .facts dt {
    color: var(--text-2);
    overflow-wrap: anywhere;
  }
  .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-top: 8px;
  }
  .narrow-only {
    display: none;
  }
  @container (max-width: 860px) {
    .frame,
    .frame.with-entity {
      grid-template-columns: minmax(0, 1fr);
    }
    .narrow-only {
      display: inline-flex;
    }
    .panel {
      position: absolute;
      z-index: 5;
      inset: auto 0 0;
      max-height: 55%;
      border: 0;
      border-top: 1px solid var(--line-strong);
      box-shadow: var(--shadow);
    }
    .panel.filters:not(.is-open) {
      display: none;
    }
  }
`;
