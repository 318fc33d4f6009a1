import { html, type Markup } from '../../html/html.ts';

/** A part of a page that is kept as it is now while somebody looks. @param name in its page */
export function livePart(name: string, content: Markup): Markup {
  return html`<div data-live="${name}">${content}</div>`;
}

/** The same within a line. */
export function liveSpan(name: string, content: Markup): Markup {
  return html`<span data-live="${name}">${content}</span>`;
}
