import type { StatedRepresentation } from './upstream-files.ts';

const html = /^(?:text\/html|application\/xhtml\+xml)$/;
const htmlName = /\.x?html?$/i;
const login =
  /(?:^|[/._-])(?:log[-_]?in|log[-_]?on|sign[-_]?in|shibboleth|saml2?|sso|idp|wayf|oauth2?|openid|authenticate|authorize)(?:[/._;-]|$)/i;

/** An answer to a request for a file. */
export interface AnswerToFileRequest {
  /** What was asked for, and what answered after redirects. */
  readonly asked: string;
  readonly answered: string;
  /** As they came. */
  readonly contentType?: string | undefined;
  readonly contentDisposition?: string | undefined;
}

/**
 * Whether what answered is a page in place of the file: a form for a login, a landing page, a viewer. Servers send
 * these with 200, after a redirect or without one.
 */
export function isPageInsteadOfFile(answer: AnswerToFileRequest, stated: StatedRepresentation): boolean {
  const type = (answer.contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!html.test(type)) return false;
  if (answer.answered !== answer.asked && login.test(placeOf(answer.answered))) return true;
  if (/^\s*attachment\b/i.test(answer.contentDisposition ?? '')) return false;
  const vague = stated.mediaType === undefined || stated.mediaType === 'application/octet-stream';
  return vague ? !htmlName.test(stated.name) : !html.test(stated.mediaType);
}

/** Host and path: a query names where to go after the login, or who knows what. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname, pathname } = new URL(url);
  return `${hostname}${pathname}`;
}
