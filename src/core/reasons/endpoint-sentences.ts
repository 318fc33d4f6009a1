/** What an endpoint taught us, and what is done about it; as in `sentences.ts`. */
export const endpointSentences = {
  // Its address
  'address-moved':
    'Its address redirects for good (301 or 308), to {url}. See whether that is the right repository, and make it the `url` of the source: the next harvest then reads everything.',

  // Lists of any kind
  'endpoint-omits':
    'Its lists leave out records that are there when they are asked for: what is missing from them is deleted only once it has been asked for.',
  'endpoint-without-tombstones':
    'It says that it keeps tombstones for ever (persistent), but records vanish without a trace: what is missing from its lists is asked for, and deleted when it is not there.',
  'endpoint-has-fewer':
    'It has {count} items fewer than are published; asked for one by one, they exist, or the repository gave no clear answer.',

  // OAI-PMH
  'dates-ignored':
    'It lists records from outside of the dates it is asked for; long lists are read in one piece.',
  'dates-refused': 'It refuses lists between two dates; long lists are read in one piece.',
  'dates-lossy': 'Lists between dates do not add up to the whole list; long lists are read in one piece.',
  'one-list-only': 'It cannot keep many lists open at a time; they are read one after the other.',
  'lists-cut-off':
    'It cuts lists off after {count} records, without a token; they are read in windows of dates that have fewer.',
  'set-forgotten':
    'It forgets the set behind the first page; records that state other sets only are left out by us.',
  'other-dates':
    'Its headers state other dates than those it selects by; no record is left out for its date.',
  'size-is-estimate':
    'It announces more records than its lists have; its completeListSize is taken for an estimate.',
  'post-refused': 'It answers POST with HTTP status {status}; long requests are sent by GET all the same.',
  'gzip-broken': 'Its gzip coding breaks off or does not fit; it is asked for uncompressed answers.',
  'bad-spots':
    'The list of {format} fails in {ranges} {ranges:range|ranges} of dates[, because of {records} {records:record|records}]; there it is read record by record.',
  'token-with-format':
    'It forgets what was asked for behind the first page; the format is sent along with each token.',
  'token-with-all':
    'It forgets what was asked for behind the first page; the format, the set and the dates are sent along with each token.',
  'token-with-selection':
    'It forgets what was asked for behind the first page; the set and the dates are sent along with each token.',
  'token-unencoded': 'It compares resumption tokens without decoding them; they are sent unencoded.',
  'days-only': 'It refuses dates with a time of day ({why}); it is asked for whole days.',
  'no-dates':
    'It refuses dates in requests ({why}); everything is listed each time, until dates are tried again on {day}.',

  // DSpace
  'rest-api-at': 'Its REST API is at {url}.',
  'rest-service-at': 'Its REST service is at {url}.',
  'items-called': 'Its items are called oai:{host}:HANDLE[ ({why}; `identity` changes it)].',
  'read-one-by-one':
    'Even a few items with their files at a time are too much for it; they are read one by one.',
  'fewer-with-files':
    'More than {count} items with their files at a time take it too long; so many are asked for at once.',
  'fewer-items': 'It takes too long over more than {count} items at once: no more are asked for.',
  'fewer-rows': 'It gives {rows} of {asked} rows that it is asked for; no more are asked for.',
  'no-alternatives':
    'Its search does not understand several beginnings of UUIDs at a time (OR); they are asked for one by one.',
  'short-queries':
    'Its search takes no long queries; no more than {count} beginnings of UUIDs are asked for at a time.',
  'alternatives-lossy':
    'Its search finds too little for several beginnings of UUIDs at a time (OR); they are asked for one by one.',
  'search-without-or': 'Its search refuses OR; what has changed is asked for by the dates of indexing alone.',
  'search-without-indexing':
    'Its search refuses to look for dates of indexing; changed policies and relations are found by full harvests only.',
  'search-without-dates':
    'Something before its search refuses questions for dates (brackets); between full harvests only new items are found.',
  'no-versions': 'It refuses requests that ask for versions along with items; earlier versions are left out.',
  'no-languages': 'It does not know the projection `allLanguages`; metadata are read as it shows them.',
  'cover-pages':
    'It puts a cover page in front of PDFs (their bytes are not those it has counted and hashed), so that PDFs are published without length and hash.',
  'not-anonymous':
    'The repository counts this machine among {names} because of its network address: what only they may read is taken for public. Harvest from another address, or have this address removed there.',
  'lists-begin-anew':
    'Its lists begin anew whatever offset is asked for (seen in DSpace 5): each is asked for at once, and each item by itself.',
  'oai-tells-changes': 'What has changed is asked for at its OAI-PMH endpoint, {url}.',
  'no-oai-endpoint':
    'It has no OAI-PMH endpoint where DSpace usually has it (`oai` in the configuration may name it): every harvest reads all collections.',
  'changes-unknown':
    'It cannot say what has changed: every harvest reads all collections. `oai` in the configuration may name its OAI-PMH endpoint, which can.',

  // ResourceSync
  'records-of-own-source':
    'It hands on records that the source {source} reads itself ({uri} comes from {via}). They are here twice; and what it has from this bridge stays after {source} has lost it. Take one of the two out, or name a set of it without them (resourcesync.set).',
} as const;
