/** /datalinks.js: loads what shows cards; where the server does not give it to this page, the console says so. */

import { beside, whyNotLoaded } from './beside.js';

/** Put in by the build. */
declare const MODULE: string;

const reason = whyNotLoaded('The cards');

import(beside(MODULE)).catch((error: unknown) => console.error(`svc: ${reason}`, error));
