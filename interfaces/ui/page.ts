/** The page of the server. */
import './page/page.js';
