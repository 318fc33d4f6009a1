/** What repositories and networks answer instead of what is asked for; as in `sentences.ts`. */
export const answerSentences = {
  'host-unknown': 'there is no host named {host} (ENOTFOUND)',
  'no-program-answers': 'no program answers at {address} (ECONNREFUSED)',
  'no-https-there':
    'the server does not speak https there ({code}): where it is to be read without encryption, write http:// in place of https://',
  'host-unreachable': '{host} cannot be reached: {why}',
  'certificate-untrusted':
    'its certificate is not trusted ({why}, {code}); NODE_EXTRA_CA_CERTS=FILE adds the authority that signed it',
  'host-silent':
    '{host} accepted the connection and did not answer within {seconds} {seconds:second|seconds}',
  'no-answer-in-time':
    '{host} gave no answer within {seconds} {seconds:second|seconds}, its turn after other processes included',
  'host-busy': '{host} answered {status}[ {times} times in a row]',
  'busy-asked': '{status} from server, as asked',
  'busy-unasked': '{status} from server',
  'place-answered': '{url} answered: {why}',
  'took-longer': '{who} took longer than {seconds} {seconds:second|seconds}',
  'came-too-slowly': 'the response of {url} came too slowly ({pace})',
  'ended-early': 'the response of {url} ended early',
  'coding-broken': 'the response of {url} has a broken gzip coding',
  'larger-than-allowed': 'the response of {url} is larger than {bytes} {bytes:byte|bytes}',
  'address-with-credentials': 'an address at {host} has credentials in it',
  'answered-status': '{url} answered with HTTP status {status}',
  'answered-nothing': '{url} answered with nothing',
  'answered-html': '{url} returned an HTML page instead of {wanted}',
  'answered-no-json': '{url} returned something that is not JSON',
  'answered-no-object': '{url} returned JSON that is not an object',
  'answered-no-list': '{url} answered without a list',
  'answered-error': 'the repository answered with an error ({text})',
  'no-identify': '{url} is OAI-PMH but does not answer Identify',
  'sets-repeat': '{url} repeats a page of its list of sets',
  'list-parts-unread': '{parts} of the list could not be read, and what is in there may be missing',
  'list-broke-off': 'the list of {list} from {url} broke off after {delivered} of {total} records: {why}',
  'list-repeats': '{url} repeats itself in its list of {list}',
  'list-ended-untold':
    'The list of {list} ended without a token after exactly {count} {count:record|records}, {why}',
  'list-cut-off-there':
    'and is cut off there, as other lists have more; ask its managers to mend its resumption tokens',
  'list-undivided':
    'and cannot be divided: it may have been cut off. Compare with how many the repository has. If they are all, write how many records its pages hold, more than {count}, as `pageSize` of the source',
  'list-started-again': 'The list of {list} was started again: {why}.',
  'list-in-one-piece': 'The list of {list} is read in one piece: {why}.',
  'header-unreadable': 'A header cannot be read: {why}.',
  'record-not-had': 'The record {identifier} is listed, but cannot be had: {why}.',
  'close-tag-unexpected': 'unexpected close tag',
  'tag-unclosed': 'unclosed tag: {tag}',
  'tag-unmatched': 'unmatched closing tag: {tag}',
  'character-disallowed': 'disallowed character',
  'not-well-formed': '{url} is not well-formed: {why}',
  'cut-before-end': '{url} ended before its last tag',
  'response-cut-off': 'the response ended before its last tag',
  'response-html': 'the response is an HTML page, not OAI-PMH',
} as const;
