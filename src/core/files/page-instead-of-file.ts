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
  /** Octets of the whole, as far as it says. */
  readonly length?: number | undefined;
}

/**
 * Whether what answered is a page in place of the file: a form for a login, a landing page, a viewer. Servers send
 * these with 200, after a redirect or without one. One that is called an attachment is a file, unless neither its type nor its length
 * is that of this one.
 */
export function isPageInsteadOfFile(answer: AnswerToFileRequest, stated: StatedRepresentation): boolean {
  const type = (answer.contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!html.test(type)) return false;
  if (answer.answered !== answer.asked && login.test(placeOf(answer.answered))) return true;
  const vague = stated.mediaType === undefined || stated.mediaType === 'application/octet-stream';
  if (/^\s*attachment\b/i.test(answer.contentDisposition ?? ''))
    return !vague && !html.test(stated.mediaType) && isOtherLength(answer.length, stated.length);
  return vague ? !htmlName.test(stated.name) : !html.test(stated.mediaType);
}

function isOtherLength(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Host and path: a query names where to go after the login, or who knows what. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname, pathname } = new URL(url);
  return `${hostname}${pathname}`;
}
