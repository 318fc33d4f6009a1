import type { CheckGroup } from './check.ts';

/** What is looked at in every answer, whatever was asked. */
export const answerChecks = {
  'http-status': {
    severity: 'error',
    asks: 'Every request of the protocol is answered with HTTP status 200, errors of the protocol too.',
    remedy: 'Answer with 200 and an `error` element; other statuses are for HTTP itself, such as 503.',
    sources: ['OAI-PMH: §3.1.2', 'zimeon: every request'],
  },
  'http-redirect': {
    severity: 'warning',
    asks: 'The endpoint answers at its own address, without a redirect.',
    remedy: 'Register and publish the address that the redirect leads to, in `baseURL` as well.',
    sources: ['zimeon: Identify', 'OVAL: redirect to another host'],
  },
  'http-content-type': {
    severity: 'error',
    asks: 'The Content-Type of every answer is `text/xml`.',
    remedy: 'Send `Content-Type: text/xml; charset=utf-8`.',
    sources: ['OAI-PMH: §3.1.2', 'CRIS: Content-Type (which allows `application/xml` too)'],
  },
  'http-charset': {
    severity: 'error',
    asks: 'The `charset` of the Content-Type, if there is one, is UTF-8.',
    remedy: 'Correct the default charset of the web server, or state no charset.',
    sources: ['OAI-PMH: §3.2'],
  },
  'http-retry-after': {
    severity: 'error',
    asks: 'The Retry-After of an answer with status 503, if there is one, is at most 3600 whole seconds.',
    remedy:
      'Write the seconds as a number: a date makes some harvesters stop, and so does a wait of more than an hour.',
    sources: [
      'zimeon: Retry-After',
      'guidelines: Guidelines for Repository Implementers, Load Balancing',
      'harvesters: sickle',
    ],
  },
  'xml-well-formed': {
    severity: 'error',
    asks: 'Every answer is well-formed XML with its namespaces declared.',
    remedy:
      'Look at the place that is named; control characters and bare ampersands in metadata are the usual cause.',
    sources: ['OAI-PMH: §3.2', 'zimeon: every request'],
  },
  'xml-utf8': {
    severity: 'error',
    asks: 'Every answer is UTF-8, and its XML declaration says so.',
    remedy: 'Write the answer in UTF-8; correct what was stored in another encoding.',
    sources: ['OAI-PMH: §3.2'],
  },
  'xml-declaration': {
    severity: 'error',
    asks: 'Every answer begins with an XML declaration of version 1.0, without anything in front of it.',
    remedy: 'Begin with `<?xml version="1.0" encoding="UTF-8"?>`; remove blank lines in front of it.',
    sources: ['OAI-PMH: §3.2'],
  },
  'xml-doctype': {
    severity: 'warning',
    asks: 'No answer has a document type declaration.',
    remedy: 'Leave the DOCTYPE out: many harvesters refuse it for their safety.',
    sources: ['OAI-PMH: §3.2 (there is a schema, and no DTD)', 'harvesters: all that guard against XXE'],
  },
  'xml-namespace': {
    severity: 'error',
    asks: 'The root is `OAI-PMH` in the namespace `http://www.openarchives.org/OAI/2.0/`.',
    remedy: 'Declare the namespace on the root element.',
    sources: ['OAI-PMH: §3.2', 'zimeon: Identify'],
  },
  'xml-prefix': {
    severity: 'warning',
    asks: 'The elements of the protocol have no prefix.',
    remedy: 'Make the namespace of OAI-PMH the default one: some validators and harvesters go by bare names.',
    sources: ['zimeon: Identify', 'harvesters: pyoaiharvester'],
  },
  'xml-schema-location': {
    severity: 'error',
    asks: '`xsi:schemaLocation` of the root begins with the namespace and the schema of OAI-PMH, in errors too.',
    remedy:
      'Write `xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"`.',
    sources: ['OAI-PMH: §3.2', 'zimeon: every response that is checked'],
  },
  'xml-structure': {
    severity: 'error',
    asks: 'The elements of the protocol are those of its schema, in its order and as often as it allows.',
    remedy: 'Compare the answer with OAI-PMH.xsd, for instance by `xmllint --schema`.',
    sources: ['XSD: OAI-PMHtype and the types in it', 'OVAL: schema', 'CRIS: XSD'],
  },
  'response-date': {
    severity: 'error',
    asks: '`responseDate` is a time in UTC as `YYYY-MM-DDThh:mm:ssZ`, without fractions of a second.',
    remedy: 'Write seconds and `Z`, whatever the granularity of the repository is.',
    sources: ['OAI-PMH: §3.2', 'OAI-PMH: §3.3.2', 'zimeon: every response that is checked'],
  },
  'request-url': {
    severity: 'error',
    asks: '`request` holds the `baseURL`.',
    remedy: 'Write the same address there as in `Identify`, without a query.',
    sources: ['OAI-PMH: §3.2'],
  },
  'request-attributes': {
    severity: 'error',
    asks: 'The attributes of `request` are the arguments; after `badVerb` and `badArgument` there are none.',
    remedy: 'Repeat the arguments as they were given; repeat nothing of a request that is wrong.',
    sources: ['OAI-PMH: §3.2', 'XSD: requestType'],
  },
  'error-code': {
    severity: 'error',
    asks: 'An `error` has one of the eight codes of the protocol.',
    remedy: 'Use a code of the table in OAI-PMH §3.6; for trouble of the server answer with an HTTP status.',
    sources: ['OAI-PMH: §3.6', 'XSD: OAI-PMHerrorcodeType'],
  },
  'error-text': {
    severity: 'warning',
    asks: 'An `error` has a sentence for people.',
    remedy: 'Say in the text of the element what is wrong.',
    sources: ['OAI-PMH: §3.6', 'zimeon: errors'],
  },
} as const satisfies CheckGroup;
