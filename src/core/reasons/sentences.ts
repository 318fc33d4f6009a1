import { answerSentences } from './answer-sentences.ts';
import { endpointSentences } from './endpoint-sentences.ts';
import { faultSentences } from './fault-sentences.ts';
import { findingSentences } from './finding-sentences.ts';

/**
 * Why something is refused or was not done: a sentence for each code, in English, as logs, terminals and answers of the API have it.
 * `{name}` is a fact, `{count:one|many}` the word that goes with a number, and `[…]` left out where its facts are empty. Pages tell it in the reader's language, by its code
 * (`server/words/refusals`). A sentence may be reworded, a code stays.
 *
 * Where two fit a sentence, `reasonIn` takes the first: what is said of one thing comes before what is said of anything.
 */
export const sentences = {
  // Times
  'time-unreadable':
    '"{text}" is no time; write a date such as 2026-12-01, a time such as 2026-12-01T12:00:00Z, or a day such as monday',
  'time-has-passed': '{time} has passed; name a time in the future',

  // Sources
  'name-taken': 'there is a source called {name} already; choose another name',
  'name-is-a-page': 'the bridge has a page of its own called {name}; choose another name',
  'address-is-a-source': '{url} is read already, as the source {name}',
  'no-web-address': '{text} is not a web address',
  'credentials-in-address':
    'the address at {host} has a name and a password in it: leave them out: the address is shown publicly',
  'address-not-public': '{host} is not a public address',
  'nothing-found-at-all':
    '[{answer}. ]Nothing to harvest by {wanted} was found at {address}. [Then tried, where such interfaces usually are:{others}\n]What helps: [{later}]find the base URL of its OAI-PMH or, of a DSpace, REST interface, or the Capability List of its ResourceSync (in its documentation, or ask its managers)',
  'nothing-found':
    '[{answer}. ]Nothing to harvest by {wanted} was found at {address}. [{places} {places:other place|other places}, where such interfaces usually are, {places:was|were} tried as well (--verbose lists them)][; {ailing}: it may be the one, and not well at present][{places:. |. }]What helps: [{later}]find the base URL of its OAI-PMH or, of a DSpace, REST interface, or the Capability List of its ResourceSync (in its documentation, or ask its managers)',
  'protocol-unknown': 'a protocol is one of {names}',
  'group-unknown': 'there is no group called {name} in the configuration',
  'nothing-found-yet': 'nothing was found at this address yet; look for it first',
  'looked-at-already': 'it is being looked at already; wait until that is over',
  'draft-unknown': 'there is no such draft: they go after 30 days; look for the source again',
  'source-in-file': '{name} is configured in {place}; change it there, and type: rsbridge reload',
  'source-changed': '{name} was changed meanwhile by somebody else',
  'source-of-path-unknown': 'there is no source called {name}; resources are below {base}, sources: {names}',
  'source-unknown': 'there is no source called {name}[; configured: {names}]',

  // Deletions
  'nothing-missing-in-run': 'run {run} does not show anything missing from {source}, now',
  'too-much-missing':
    '{count} {count:resource is|resources are} no longer in the list of {source} and would be deleted, but that is more than {share} % of {total}[. The repository seems to have renamed its items: {was} is {is} now. Once all of the new ones are there, accept that the old ones go]',
  'missing-from-doubtful-list':
    '{count} {count:resource is|resources are} no longer in the list of {source} and would be deleted, but {places} {places:part|parts} of it could not be trusted',

  // Records, and what became of a task
  'record-unreadable': 'The record {identifier} cannot be read: {why}.',
  'nameless-record-unreadable': 'A record cannot be read: {why}.',
  'record-without-metadata': 'The record {identifier} is neither deleted nor has it metadata.',
  'missing-asked-for': 'asked for {asked}, {deleted} deleted, {alive} still there, {remaining} still missing',
  'item-stored': 'stored: {created} created, {updated} updated, {deleted} deleted',
  'item-gone': 'gone: {created} created, {updated} updated, {deleted} deleted',
  'item-unknown-there': 'unknown: {created} created, {updated} updated, {deleted} deleted',
  'item-unlisted': 'unlisted: {created} created, {updated} updated, {deleted} deleted',
  'item-other': 'other: {created} created, {updated} updated, {deleted} deleted',
  'problems-read':
    '{read} read or gone, {unread} still not to be read[, {nameless} without an identifier: a full harvest reads them again][; the others were not asked for: {why}]',
  'restored-published':
    'it is published again; its files follow when they have been asked for, within a minute where rsbridge serve runs',
  'restored-unknown':
    'the repository does not have it any more, or shows it not to everybody, or as a version of another one: it stays deleted until it does',
  'restored-later':
    'it could not be asked for now ({why}); the next harvest reads everything, and publishes it again',

  // Taking down
  'item-withdrawn': 'the item {item} was withdrawn at {at}[ ({why})]',
  withdrawn: '{uri} was withdrawn at {at}[ ({why})]',
  'item-not-withdrawn': 'nothing of the item {item} is withdrawn',
  'withdrawn-with-item': '{uri} is not withdrawn by itself, but with its whole item: rsbridge restore {page}',
  'not-withdrawn': '{uri} is not withdrawn',
  'item-of-several': 'several sources have an item {text}; name its page: {names}',
  'version-of-item':
    '{text} is an earlier version of {item}, shown at the addresses of that item alone, and cannot be withdrawn alone: rsbridge withdraw {page} withdraws all versions; what is withdrawn in the repository goes with the next full harvest',
  'address-elsewhere':
    '{url} is neither below {base} nor the address of a file that is linked to; sources: {names}',
  'uri-of-document':
    '{uri} is a document, not a resource: rsbridge export DIR --at DATETIME writes its past states',
  'resource-unknown': 'there is no {text}; of this item there are {names}',
  'item-unknown': 'no item or resource is named {text}; resources are below {base}, sources: {names}',

  // Accounts, tokens, requests
  'set-unknown': 'there is no source or set called {text}; write SOURCE or SOURCE/SET',
  'scope-unknown': 'a scope is one of {names}',
  'days-unreadable': 'days are 1 to 9999',
  'account-is-own': '{account} is the account that asks for it; another one can remove it',
  'account-is-last':
    '{account} is the only account with the scope admin; give another one that scope first, or nobody can manage accounts',
  'scope-missing': 'this takes the scope {needed}; {who} has {scope}',
  'page-of-another-site': 'the request comes from a page of another site',
  'page-unknown': 'the request does not say which page it comes from',
  'no-password-yet': 'nobody has set a password, so only this machine itself may look',
  'sign-in-needed': 'this takes a session or a token',
  'link-used': 'this link was used before, or is older than a day',
  'callback-refused': '{url} cannot be called: {why}',
  'secret-length': 'a secret has 16 to {most} characters',
  'nothing-to-send': 'nothing was told of {topic} yet that could be sent',
  'nothing-here': 'there is nothing at this address',

  'form-too-large': 'the form has too many fields',
  'level-unknown': 'a level is one of {names}',
  'run-unreadable': 'a run is a number',
  'task-unknown': 'nothing was asked for by this number',
  'run-unnamed': 'name the run that showed what is missing',
  'decision-unknown': 'a decision is approve or reject',
  'cause-unknown': 'no record of {source} that could not be read has this cause, any more',
  'act-unknown': 'an act is one of {names}',
  'published-anew-unknown': 'what is published anew is lists or dumps',
  'program-without-password': 'a program has no password',
  'too-many-look-on': 'too many look on already',
  'search-too-broad': 'too much fits what was asked for',

  ...findingSentences,
  ...faultSentences,
  ...endpointSentences,
  ...answerSentences,
} as const;
