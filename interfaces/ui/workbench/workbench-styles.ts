/** How the workbench is laid out. It looks at its own width, so that it fits into a page of somebody else as well. */

import { css } from '../parts/lit.js';

export const workbenchStyles = css`
  :host {
    display: block;
    height: 100%;
    min-height: 320px;
    container-type: inline-size;
    background: var(--surface);
  }
  .layout {
    display: grid;
    grid-template-columns: 216px minmax(0, 1fr);
    height: 100%;
    min-height: 0;
  }
  .layout.planned {
    grid-template-columns: 216px minmax(0, 1fr) 400px;
  }
  .layout > * + * {
    border-left: 1px solid var(--line);
  }
  .layout > * {
    min-height: 0;
    min-width: 0;
  }
  .middle {
    display: grid;
    grid-template-rows: 34px auto auto minmax(0, 1fr);
  }
  .tabs {
    display: flex;
    align-items: stretch;
    background: var(--sunken);
    border-bottom: 1px solid var(--line);
    overflow-x: auto;
  }
  .tab {
    display: flex;
    align-items: center;
    max-width: 220px;
    flex: none;
    border-right: 1px solid var(--line);
    color: var(--text-2);
  }
  .tab button {
    all: unset;
    cursor: pointer;
    padding: 0 4px 0 12px;
    line-height: 33px;
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .tab button.close {
    padding: 0 10px 0 4px;
    overflow: visible;
  }
  .tabs button:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: -2px;
  }
  .tab.active {
    background: var(--surface);
    color: var(--text);
    box-shadow: inset 0 2px var(--accent);
  }
  .add {
    all: unset;
    cursor: pointer;
    padding: 0 14px;
  }
  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 8px;
    padding: 6px 12px;
    border-bottom: 1px solid var(--line);
  }
  .editor {
    height: 240px;
    min-height: 80px;
    max-height: 75cqh;
    resize: vertical;
    overflow: hidden;
    border-bottom: 1px solid var(--line);
  }
  .options {
    display: grid;
    gap: 10px;
  }
  .options label {
    display: grid;
    gap: 4px;
  }
  .narrow {
    display: none;
  }
  @container (max-width: 900px) {
    .layout.planned {
      grid-template-columns: minmax(0, 1fr) 340px;
    }
    .layout.planned > svc-query-list {
      display: none;
    }
  }
  @container (max-width: 760px) {
    .layout,
    .layout.planned {
      position: relative;
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: minmax(0, 1fr);
    }
    .layout > svc-query-list,
    .layout.planned > svc-query-list {
      display: none;
    }
    .layout > svc-query-list.open,
    .layout > svc-plan {
      display: block;
      position: absolute;
      inset: 15% 0 0 0;
      z-index: 10;
      border-top: 1px solid var(--line-strong);
      box-shadow: var(--shadow);
    }
    .narrow {
      display: inline-flex;
    }
    .wide {
      display: none;
    }
    .editor {
      height: 180px;
    }
  }
`;
