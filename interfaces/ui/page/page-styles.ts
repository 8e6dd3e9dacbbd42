/** How the page is laid out: bars above and below, the view between them. */

import { css } from '../parts/lit.js';

export const pageStyles = css`
  :host {
    display: grid;
    grid-template-rows: 44px auto minmax(0, 1fr) 24px;
    grid-template-columns: minmax(0, 1fr);
    background: var(--bg);
  }
  header {
    display: flex;
    align-items: center;
    gap: 8px;
    padding: 0 12px;
    background: var(--surface);
    border-bottom: 1px solid var(--line);
    grid-row: 1;
  }
  .logo {
    font: 600 15px/1 var(--mono);
    letter-spacing: -0.02em;
    padding-right: 8px;
    color: var(--text);
  }
  .logo i {
    display: inline-block;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    border: 2px solid var(--accent);
    margin-right: 6px;
  }
  nav {
    display: flex;
    align-self: stretch;
  }
  nav a {
    display: flex;
    align-items: center;
    padding: 0 10px;
    color: var(--text-2);
    border-bottom: 2px solid transparent;
    margin-bottom: -1px;
  }
  nav a[aria-current] {
    color: var(--text);
    border-color: var(--accent);
    font-weight: 550;
  }
  nav a:focus-visible {
    outline-offset: -2px;
  }
  svc-find {
    flex: 1 1 200px;
    max-width: 420px;
  }
  .strip {
    grid-row: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 12px;
    min-height: 32px;
    padding: 2px 12px;
    background: var(--past-soft);
    border-bottom: 1px solid var(--line);
    color: var(--past);
  }
  main {
    grid-row: 3;
    min-height: 0;
    display: grid;
    grid-template-rows: auto minmax(0, 1fr);
  }
  ::slotted(*) {
    grid-row: 2;
    min-height: 0;
    min-width: 0;
  }
  .failure {
    padding: 12px;
  }
  footer {
    grid-row: 4;
    display: flex;
    align-items: center;
    gap: 16px;
    padding: 0 12px;
    border-top: 1px solid var(--line);
    background: var(--surface);
    color: var(--text-2);
    font-size: 11px;
    white-space: nowrap;
    overflow: hidden;
  }
  footer .button {
    font-size: 11px;
    min-height: 22px;
    padding: 0;
  }
  .dot {
    display: inline-block;
    width: 7px;
    height: 7px;
    border-radius: 50%;
    background: var(--add);
    margin-right: 5px;
  }
  .dot.away {
    background: var(--delete);
  }
  @media (max-width: 760px) {
    :host {
      grid-template-rows: auto auto minmax(0, 1fr) 24px;
    }
    header {
      flex-wrap: wrap;
      padding: 6px 12px;
    }
    header .grow {
      display: none;
    }
    nav {
      overflow-x: auto;
      max-width: calc(100vw - 90px);
      height: 28px;
    }
    svc-find {
      order: 9;
      flex-basis: 100%;
      max-width: none;
    }
    svc-time-control,
    svc-graph-control {
      max-width: 40vw;
    }
    .figures {
      display: none;
    }
  }
`;
