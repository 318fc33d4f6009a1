import { type OaiError, oaiNamespace, xsiNamespace } from './protocol.ts';
import { xmlText } from './xml-text.ts';

/** What every answer says of itself. */
export interface Envelope {
  /** ISO UTC seconds: harvesters take it as the next `from`. */
  readonly responseDate: string;
  readonly baseUrl: string;
  /** The attributes of `<request>`. */
  readonly stated: Readonly<Record<string, string>>;
}

/**
 * One response, valid against OAI-PMH.xsd as far as its content is.
 * @param content the element of the verb, or `errorsXml`
 */
export function* writeResponse(
  { responseDate, baseUrl, stated }: Envelope,
  content: Iterable<string>,
): Generator<string> {
  const attributes = Object.entries(stated).map(([name, value]) => ` ${name}="${xmlText(value)}"`);
  yield `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="${oaiNamespace}" xmlns:xsi="${xsiNamespace}" xsi:schemaLocation="${oaiNamespace} ${oaiNamespace}OAI-PMH.xsd">
<responseDate>${responseDate}</responseDate>
<request${attributes.join('')}>${xmlText(baseUrl)}</request>
`;
  yield* content;
  yield '</OAI-PMH>\n';
}

export function* errorsXml(errors: readonly OaiError[]): Generator<string> {
  for (const { code, message } of errors) yield `<error code="${code}">${xmlText(message)}</error>\n`;
}
