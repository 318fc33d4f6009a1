import type { CheckGroup } from './check.ts';

/** Formats, sets, lists and their tokens. */
export const listChecks = {
  'formats-oai-dc': {
    severity: 'error',
    asks: '`ListMetadataFormats` offers `oai_dc` with its namespace and schema.',
    remedy: 'Offer `oai_dc` with `http://www.openarchives.org/OAI/2.0/oai_dc/`: every repository has to.',
    sources: ['OAI-PMH: §3.4', 'OAI-PMH: §5', 'zimeon: ListMetadataFormats'],
  },
  'formats-prefix': {
    severity: 'error',
    asks: 'A `metadataPrefix` has only unreserved characters, is not `all`, and is listed once.',
    remedy: "Use letters, digits and `-_.!~*'()`.",
    sources: ['OAI-PMH: §3.4', 'XSD: metadataPrefixType', 'CRIS: unique prefixes'],
  },
  'formats-namespace': {
    severity: 'warning',
    asks: 'Each format has a namespace and a schema of its own.',
    remedy: 'Offer one prefix for each namespace: DSpace looks formats up by it.',
    sources: ['CRIS: unique namespaces and schema URLs', 'harvesters: DSpace'],
  },
  'formats-schema': {
    severity: 'error',
    asks: 'The `schema` of a format is one absolute http or https address.',
    remedy: 'State the address of the XML Schema that the payloads name in `xsi:schemaLocation`.',
    sources: ['OAI-PMH: §4.4', 'CRIS: schema URLs'],
  },
  'formats-of-record': {
    severity: 'error',
    asks: '`ListMetadataFormats` of a listed identifier names `oai_dc`.',
    remedy: 'Answer for single items, too.',
    sources: ['OAI-PMH: §4.4', 'zimeon: ListMetadataFormats'],
  },
  'formats-payload': {
    severity: 'error',
    asks: 'The root of a payload is in the namespace that `ListMetadataFormats` states for its format; that of `qdc` of a DSpace may be `http://dspace.org/qualifieddc/`.',
    remedy: 'State the namespace that the records have; every payload declares its own.',
    sources: ['OAI-PMH: §3.4', 'CRIS: targetNamespace'],
  },
  'payload-schema-location': {
    severity: 'error',
    asks: 'The root of every payload has `xsi:schemaLocation` with its namespace and its schema.',
    remedy: 'Add the attribute to the root of the payload: validators collect their schemas there.',
    sources: ['OAI-PMH: §3.4', 'OAI-PMH: §2.5', 'OVAL: schema'],
  },
  'sets-answer': {
    severity: 'error',
    asks: '`ListSets` is answered with sets, or with `noSetHierarchy`.',
    remedy: 'Answer with `noSetHierarchy` if there are none.',
    sources: ['OAI-PMH: §4.6', 'zimeon: ListSets'],
  },
  'sets-spec': {
    severity: 'error',
    asks: 'A `setSpec` has only unreserved characters, and colons between its levels.',
    remedy: "Use letters, digits and `-_.!~*'()`; percent signs, blanks and slashes are not allowed.",
    sources: ['OAI-PMH: §2.6', 'XSD: setSpecType', 'zimeon: the first set goes into the URL as it is'],
  },
  'sets-once': {
    severity: 'error',
    asks: '`ListSets` names each set once.',
    remedy: 'Order the sets before they are cut into pages.',
    sources: ['OAI-PMH: §2.6', 'harvesters: DSpace#11201'],
  },
  'sets-hierarchy': {
    severity: 'warning',
    asks: 'With a set `a:b` there is a set `a`.',
    remedy: 'List the levels above, or do without colons.',
    sources: ['OAI-PMH: §2.6'],
  },
  'sets-paged': {
    severity: 'warning',
    asks: '`ListSets` is complete in one answer.',
    remedy: 'Answer with all sets at once: some aggregators read the first page only.',
    sources: ['harvesters: DPLA ingestion PR#70, REPOX#13, bulkrax#109'],
  },
  'sets-selection': {
    severity: 'error',
    asks: 'A list of a set holds records of this set alone, or of sets below it, on its later pages too.',
    remedy: 'Keep the set in the resumption token; write each setSpec of a record into its header.',
    sources: ['OAI-PMH: §2.7.2', 'zimeon: GetRecord', 'harvesters: SobekCM#6'],
  },
  'sets-listed': {
    severity: 'warning',
    asks: 'The setSpecs of headers are sets that `ListSets` names, each once.',
    remedy: 'List the sets, or leave them out of headers.',
    sources: ['OAI-PMH: §2.6', 'OAI-PMH: §2.5'],
  },
  'list-begins': {
    severity: 'error',
    asks: '`ListIdentifiers` of `oai_dc` begins with a page that holds a record that is not deleted.',
    remedy: 'Look whether there are records, and whether the list answers without dates and sets.',
    sources: ['OAI-PMH: §4.3', 'zimeon: ListIdentifiers'],
  },
  'list-once': {
    severity: 'error',
    asks: 'A walk through `ListRecords` meets each record once.',
    remedy: 'Give the list an order that does not change between two pages (a key behind the datestamp).',
    sources: ['OAI-PMH: §3.5', 'harvesters: DOAJ#712'],
  },
  'list-alike': {
    severity: 'error',
    asks: '`ListIdentifiers` and `ListRecords` of the same selection name the same records.',
    remedy: 'Make both from one query.',
    sources: ['OAI-PMH: §4.3'],
  },
  'list-page-size': {
    severity: 'warning',
    asks: 'A page of `ListRecords` has 100 to 500 records, where there are as many.',
    remedy: 'Set the size of pages to 100: more time out, fewer are many requests.',
    sources: ['OVAL: page size', 'OpenAIRE: v4 use_of_oai_pmh, harvesting'],
  },
  'token-form': {
    severity: 'error',
    asks: 'A list that is complete in one answer has no `resumptionToken`, and no first page has an empty one.',
    remedy: 'Leave the element out; it closes lists of several pages only.',
    sources: ['OAI-PMH: §3.5', 'zimeon: ListRecords'],
  },
  'token-works': {
    severity: 'error',
    asks: 'A token leads to the next page.',
    remedy: 'Keep tokens alive, or write into them all that is needed to go on.',
    sources: ['OAI-PMH: §3.5', 'zimeon: ListRecords', 'OVAL: resumptionToken'],
  },
  'token-empty-page': {
    severity: 'error',
    asks: 'Each token leads to a page with records: no list ends with an empty page or an error.',
    remedy: 'Look one record ahead before a token is written.',
    sources: ['XSD: ListRecordsType', 'OAI-PMH: §3.5', 'harvesters: RecordManager, pyoai, oaipmh-scythe'],
  },
  'token-last': {
    severity: 'error',
    asks: 'The last page of a list of several pages has an empty `resumptionToken`.',
    remedy: 'Write `<resumptionToken/>` there, so that a list that broke off is told from one that ended.',
    sources: ['OAI-PMH: §3.5'],
  },
  'token-again': {
    severity: 'error',
    asks: 'The same token, sent again, is answered with the same records.',
    remedy: 'Do not move on by asking: a harvester whose connection broke sends its last token again.',
    sources: ['OAI-PMH: §3.5.1', 'guidelines: Guidelines for Repository Implementers, resumptionToken'],
  },
  'token-progress': {
    severity: 'error',
    asks: 'Each page has a token that no page before it had, and records that were not there before.',
    remedy: 'Harvesters stop at a token that comes back, or never: correct the place that it stands for.',
    sources: ['OAI-PMH: §3.5', 'harvesters: metha, RecordManager'],
  },
  'token-cursor': {
    severity: 'error',
    asks: '`cursor` counts the records before the page, from 0.',
    remedy: 'Count records, not pages; or leave the attribute out.',
    sources: ['OAI-PMH: §3.5', 'zimeon: cursor'],
  },
  'token-size': {
    severity: 'warning',
    asks: '`completeListSize` is there, greater than the first page, and about what the list has.',
    remedy: 'Count when the list begins, and write the number into each token.',
    sources: ['OAI-PMH: §3.5', 'OVAL: completeListSize'],
  },
  'token-expires': {
    severity: 'warning',
    asks: 'A token lives for at least 23 hours, if it says when it ends.',
    remedy: 'Let tokens live for two days, or make them such that they never end.',
    sources: ['OVAL: expirationDate', 'OAI-PMH: §3.5'],
  },
  'token-characters': {
    severity: 'warning',
    asks: 'A token needs no percent-encoding in a URL.',
    remedy:
      'Write tokens in base64url: clients that encode them twice, or not at all, fail at `+`, `=`, `%` and `&`.',
    sources: ['harvesters: metha#23, geonetwork#6435, shell-oaiharvester PR#5'],
  },
} as const satisfies CheckGroup;
