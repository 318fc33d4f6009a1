/**
 * Everything the provider can do wrong, each switch named by what it does, with the number of the quirk. All are off
 * by default, all can be combined, and all may be changed between two requests.
 *
 * `…Every: n` means: with every n-th request for a list. What belongs to a record (its identifier, its sets, which
 * formats it has, whether it vanished) is not a switch but in `test/house/hostile/repository.ts`.
 */
export interface Misbehaviour
  extends TokenMisbehaviour,
    HttpMisbehaviour,
    DateMisbehaviour,
    HeaderMisbehaviour,
    XmlMisbehaviour {}

export interface TokenMisbehaviour {
  /** Quirk 1: a token is refused when it is older. Every request takes a second of the provider's clock. */
  readonly tokenLifetimeSeconds?: number;
  /** Quirk 2: whoever sends a token again gets the page behind the one it got before. */
  readonly tokensNameTheNextPage?: boolean;
  /** Quirk 3: page 2 leads to itself by the same token, to itself by new ones, or the end leads to the beginning. */
  readonly tokenLoop?: 'same token' | 'same page' | 'circle';
  /** Quirk 4: the last page has a token, too; this is what comes of it. */
  readonly tokenOnLastPage?: 'noRecordsMatch' | 'badResumptionToken' | 'nothing';
  /** Quirk 5: where the pages are all full, a page of nothing follows. */
  readonly emptyPageAtTheEnd?: boolean;
  /** Quirk 6: how the end of a list of several pages looks; honestly: empty with its attributes. */
  readonly lastToken?: 'absent' | 'empty' | 'blank';
  /** Quirk 7: no token, no sizes, although there is more. */
  readonly tokenWithheld?: boolean;
  /** Lists of identifiers have longer pages. */
  readonly identifiersPerPage?: number;
  /** Quirk 8: tokens with every character that has to be encoded. */
  readonly tokensNeedEncoding?: boolean;
  /** Quirk 9: tokens are compared as they stand in the URL. */
  readonly tokensComparedRaw?: boolean;
  /** Quirk 10: tokens with text that looks encoded already. */
  readonly tokensLookEncoded?: boolean;
  /** Quirk 11: from the second page on the set, the dates, or both are forgotten. */
  readonly tokenForgets?: 'set' | 'dates' | 'both';
  /** Quirk 11: what is forgotten counts again where it is repeated with the token. */
  readonly tokenTakesFilter?: boolean;
  /** Quirk 11: a token without `metadataPrefix` is refused. */
  readonly tokenNeedsPrefix?: boolean;
  /** Quirk 11: a token is refused that comes with arguments: any, the format, or the set and the dates. */
  readonly tokenRefuses?: 'company' | 'prefix' | 'selection';
  /** Quirk 11: how, if not with badArgument. */
  readonly tokenRefusal?: 'badResumptionToken' | 'noRecordsMatch' | 'empty list' | 'first page' | 400 | 500;
  /** Quirk 12: a page of ListRecords that holds one of these identifiers fails, and so does GetRecord. */
  readonly poisoned?: readonly string[];
  readonly poisonStatus?: 500 | 502 | 504;
  /** Quirk 13: HTTP 500 at once for wider windows, counted from the first record. */
  readonly widestWindowDays?: number;
  /** Quirk 14: HTTP 413 in HTML for lists of more records. */
  readonly largestList?: number;
  /** Quirks 15, 16: the cursor counts pages, is always 0; or no attributes at all. */
  readonly cursor?: 'pages' | 'zero' | 'absent';
  /** Quirk 17. */
  readonly completeListSize?: 'low' | 'high' | 'growing' | 'absent';
  /** Quirk 18: each page is cut out of another order, so that records come twice and others never. */
  readonly unstableOrder?: boolean;
  /** Quirk 19: hidden records are taken out behind the paging; a page of nothing else ends the list in an error. */
  readonly hiddenPagesEndTheList?: boolean;
  /** Quirk 20: HTTP 500 with a text about scroll contexts while more requests for lists than this are under way. */
  readonly scrollContexts?: number;
  /** Quirk 21: sets come in pages of this size. */
  readonly setsPerPage?: number;
  /** Quirk 21: sets are shuffled for every page; they fail; the pages of sets never end. */
  readonly listSets?: 'shuffled' | 'fails' | 'endless';
}

export interface HttpMisbehaviour {
  /** Quirks 22–24: OAI-PMH errors have this status. */
  readonly errorStatus?: 400 | 404 | 422 | 500;
  /** Quirk 25: cannotDisseminateFormat where nothing matches. */
  readonly nothingIsCannotDisseminate?: boolean;
  /** Quirk 26: an error code nobody knows. */
  readonly inventedErrorEvery?: number;
  /** Quirk 27: a page for people, with status 200. */
  readonly htmlEvery?: number;
  /** Quirk 28: HTTP 503. */
  readonly busyEvery?: number;
  /** Quirk 29: HTTP 429 and “Rate exceeded”. */
  readonly rateExceededEvery?: number;
  /** Quirk 30: Retry-After with every answer, good ones included. */
  readonly retryAfterAlways?: number;
  /** Quirk 31: what a busy server says; absent: nothing. */
  readonly retryAfter?: { readonly seconds: number; readonly as: 'seconds' | 'date' };
  /** Quirk 12, passing: HTTP 500 without a body. */
  readonly failEvery?: number;
  /** Quirks 32, 34: everything is redirected: the query is forgotten, or Location is no URL. */
  readonly redirect?: 'without query' | 'with query' | 'illegal characters';
  /** Quirk 32: the repository calls itself by an address where nobody is. */
  readonly wrongBaseUrl?: boolean;
  /** Quirk 33: POST is refused. */
  readonly refusesPost?: boolean;
  /** Quirk 33: longer request targets are refused with HTTP 414; tokens are made longer than that. */
  readonly longestUrl?: number;
  /** Quirk 35. */
  readonly gzip?: 'honest' | 'undeclared' | 'declared only' | 'broken';
  /** Quirk 36: the connection ends in the middle; or the body does, as if it were complete. */
  readonly cutOffEvery?: number;
  readonly cutOff?: 'connection' | 'body';
  /** Quirk 37: what PHP has to say, behind the document. */
  readonly noticesBehind?: boolean;
  /** Quirk 38: bytes that every record is larger, without being more. */
  readonly padding?: number;
  /** Quirk 39: HTTP 403 without a User-Agent that says who asks and a From; or always. */
  readonly forbids?: 'strangers' | 'everybody';
  /** Quirk 40: badArgument for empty, repeated and unknown arguments, and where verb is not the first. */
  readonly strictArguments?: boolean;
}

export interface DateMisbehaviour {
  readonly granularity?: 'second' | 'day';
  /** Quirk 42: the declared granularity is refused in arguments. */
  readonly refusesDeclaredGranularity?: boolean;
  /** Quirk 43: what Identify writes instead. */
  readonly granularityText?: string;
  /** Quirk 44: what Identify writes as the earliest datestamp; honestly: that of the first record. */
  readonly earliestDatestamp?: string;
  /** Quirk 46: `from` before the stated earliest datestamp is refused. */
  readonly refusesEarlyFrom?: boolean;
  /** Quirk 46: any `from` is refused. */
  readonly refusesFrom?: boolean;
  /** Quirk 47: every header says that it has changed just now. */
  readonly datestampsAreNow?: boolean;
  /** Quirk 48: headers tell when a record was made, `from` and `until` go by when it was changed. */
  readonly headersTellCreation?: boolean;
  /** Quirk 49: `until` is exclusive. */
  readonly untilIsExclusive?: boolean;
  /** Quirk 49: a day as `until` ends when it begins. */
  readonly untilDayEndsAtMidnight?: boolean;
  /** Quirk 49: arguments are understood in the zone so many hours east of Greenwich. */
  readonly localTimeHours?: number;
  /** Quirk 51: neither in the order of time nor in that of anything else, but stable. */
  readonly anyOrder?: boolean;
  /** Quirk 52: lists know a change only so many seconds after it was made, with its datestamp. */
  readonly indexLagSeconds?: number;
  /** Quirk 54. */
  readonly datestampForm?: 'fraction' | 'no zone' | 'compact' | 'future' | 'garbage';
  /** Quirk 56: badArgument for fractions and zones other than `Z`, in `from` and `until`. */
  readonly strictDates?: boolean;
}

export interface HeaderMisbehaviour {
  /** Quirks 57, 58: what Identify promises about deletions; the repository may do otherwise. */
  readonly deletedRecord?: 'no' | 'transient' | 'persistent';
  /** Quirk 59. */
  readonly deletedWord?: string;
  /** Quirk 60: what is deleted has metadata all the same. */
  readonly tombstonesWithMetadata?: boolean;
  /** Quirk 60: these have none, and are not deleted. */
  readonly withoutMetadata?: readonly string[];
  /** Quirk 62: tombstones of so many records that nobody ever saw, at the beginning of every list. */
  readonly strangeTombstones?: number;
  /** Quirk 63. */
  readonly setSpecs?: 'missing' | 'twice';
  /** Quirk 65. */
  readonly noSets?: 'noSetHierarchy' | 'badVerb' | 'empty';
  /** Quirk 67: blanks around identifiers. */
  readonly blanksAroundIdentifiers?: boolean;
  /** Quirk 68: these come twice in every list, the old version first. */
  readonly listedTwice?: readonly string[];
  /** Quirk 69: GetRecord does not know what is listed, or breaks. */
  readonly getRecord?: 'idDoesNotExist' | 'fails';
  /** Quirk 58: these live, and no list names them. */
  readonly notListed?: readonly string[];
  /** Quirk 70: namespaces and schemas of another format, or none. */
  readonly formatsAreWrong?: boolean;
  /** Quirk 71: a list in a format ends in cannotDisseminateFormat where a record does not have it. */
  readonly missingFormatEndsTheList?: boolean;
  /** Quirk 72: `<listrecords>`. */
  readonly lowerCaseVerbs?: boolean;
  /** Quirk 73: another order, and elements missing. */
  readonly identifyShuffled?: boolean;
  /** Quirk 74: a parameter of its own that every request has to have. */
  readonly requiredParameter?: string;
}

export type Damage =
  /** Quirk 75. */
  | 'control characters'
  | 'references to control characters'
  | 'noncharacters'
  /** Quirk 76: Latin-1 in UTF-8. */
  | 'Latin-1 bytes'
  /** Quirk 79. */
  | 'XML declaration'
  /** Quirk 81. */
  | 'HTML entities'
  /** Quirk 82. */
  | 'bare ampersands'
  /** Past mending: tags do not match. */
  | 'unbalanced tags';

export interface XmlMisbehaviour {
  /** What is wrong with the metadata of every n-th record. */
  readonly damage?: Damage;
  readonly damageEvery?: number;
  /** Quirk 76: declared so and written so; the header says so and it is not true. */
  readonly encoding?: 'ISO-8859-1 declared' | 'ISO-8859-1 in the header only';
  /** Quirks 77, 78: in front of the document. */
  readonly prolog?: 'byte order mark' | 'blank lines' | 'no declaration' | 'stylesheet';
  /** Quirk 80. */
  readonly doctype?: 'small' | 'bomb' | 'external' | 'large';
  /** Quirk 84: where the namespaces of payloads are declared; honestly: there. */
  readonly namespacesOn?: 'metadata' | 'record' | 'list' | 'root';
  /** Quirk 85: from the second page on nowhere. */
  readonly namespacesOnFirstPageOnly?: boolean;
  /** Quirk 88: the protocol's elements have a prefix, or no namespace. */
  readonly protocolElements?: 'oai:' | 'no namespace';
  /** Quirk 89: beside the payload in `<metadata>`. */
  readonly besidePayload?: 'comment' | 'text' | 'CDATA' | 'second element';
  /** Quirk 93: a second error; an error beside records; a second root behind the first. */
  readonly errors?: 'two' | 'beside records';
  readonly secondRoot?: boolean;
  /** Quirk 94. */
  readonly requestElement?: 'missing' | 'first' | 'on several lines';
  /** Quirk 95: so many `<about>` with every record. */
  readonly abouts?: number;
}
