import { escapeUri } from './xml-text.ts';

/** Below `baseUrl`; part of every document's bytes, hence without a version in it. */
export const documentStylesheetPath = 'static/resourcesync.css';

/** What `<?xml-stylesheet …?>` says: a browser shows the document to people, everybody else skips it. */
export function stylesheetInstruction(baseUrl: string): string {
  return `type="text/css" href="${escapeUri(`${baseUrl}/${documentStylesheetPath}`)}"`;
}
