import type { CheckGroup } from './check.ts';

/** What IRDB asks of records of JPCOAR schema 2.0 and 1.0, and the rules of jpcoar-validator. */
export const irdbChecks = {
  'irdb-format': {
    severity: 'error',
    asks: '`jpcoar_2.0`, `jpcoar_1.0`, `jpcoar` or `junii2` is offered.',
    remedy: 'Offer `jpcoar_2.0`; IRDB reads no other formats.',
    sources: ['IRDB: prefixes'],
  },
  'irdb-title': {
    severity: 'error',
    asks: 'A record has a `dc:title`, and at most one for each language and one without.',
    remedy: 'Write further titles as `dcterms:alternative`: IRDB does not take such a record at all.',
    sources: ['IRDB: record errors', 'jpcoar-validator: duplicate languages'],
  },
  'irdb-kana': {
    severity: 'error',
    asks: 'A title or name in `ja-Kana` comes with one in `ja`.',
    remedy: 'Write the text in `ja` beside its reading.',
    sources: ['IRDB: record errors', 'jpcoar-validator: yomi'],
  },
  'irdb-type': {
    severity: 'error',
    asks: 'A record has exactly one `dc:type`, with the URI of a COAR resource type.',
    remedy:
      'Write the label, and `rdf:resource="http://purl.org/coar/resource_type/…"`; use the vocabulary of this version of the schema.',
    sources: ['IRDB: record errors', 'jpcoar-validator: dc:type'],
  },
  'irdb-thesis-creator': {
    severity: 'error',
    asks: 'A thesis has a creator.',
    remedy: 'Write `jpcoar:creator`: IRDB does not take a thesis without.',
    sources: ['IRDB: record errors', 'jpcoar-validator: thesis'],
  },
  'jpcoar-identifier': {
    severity: 'error',
    asks: 'A record has a `jpcoar:identifier`, and DOIs and handles are full addresses.',
    remedy: 'Write `https://doi.org/10.…` and `https://hdl.handle.net/…`.',
    sources: ['XSD: jpcoar_scm.xsd, identifier (1 or more)', 'jpcoar-validator: identifier'],
  },
  'jpcoar-order': {
    severity: 'error',
    asks: 'The elements of a record are in the order of the schema.',
    remedy: 'Sort them: jpcoar_scm.xsd is a sequence.',
    sources: ['XSD: jpcoar_scm.xsd', 'jpcoar-validator: schema'],
  },
  'jpcoar-language': {
    severity: 'error',
    asks: '`xml:lang` is a tag such as `en`, `ja` or `ja-Kana`, and `dc:language` a code of three letters.',
    remedy: 'Write `en`, not `en_US`, and `eng`, not `en`.',
    sources: ['XSD: jpcoar_scm.xsd, xml:lang and dc:language', 'jpcoar-validator: schema'],
  },
  'jpcoar-names': {
    severity: 'error',
    asks: 'Titles and names of a record say in which language they are.',
    remedy:
      'Add `xml:lang` to dc:title, dcterms:alternative, creatorName, contributorName, dc:publisher and jpcoar:sourceTitle.',
    sources: ['jpcoar-validator: text without xml:lang'],
  },
  'jpcoar-access': {
    severity: 'error',
    asks: '`dcterms:accessRights` has the COAR URI that belongs to its label; embargoed access has a date `Available`.',
    remedy:
      'Write `open access` c_abf2, `embargoed access` c_f1cf, `restricted access` c_16ec or `metadata only access` c_14cb.',
    sources: ['jpcoar-validator: accessRights'],
  },
  'jpcoar-version': {
    severity: 'error',
    asks: '`oaire:version` has the COAR URI that belongs to its label.',
    remedy: 'Write for instance `VoR` with `http://purl.org/coar/version/c_970fb48d4fbd8a85`.',
    sources: ['jpcoar-validator: version'],
  },
  'jpcoar-numbers': {
    severity: 'error',
    asks: '`pageStart`, `pageEnd` and `numPages` are whole numbers above 0.',
    remedy: 'Leave out `e12` and `xi`: the schema refuses the record.',
    sources: ['XSD: jpcoar_scm.xsd, positiveInteger', 'jpcoar-validator: schema'],
  },
  'jpcoar-issn': {
    severity: 'warning',
    asks: 'Source identifiers say which kind of ISSN they are, and are written as such.',
    remedy: 'Write `PISSN` or `EISSN` with `1234-567X`; `NCID` with its two letters.',
    sources: ['jpcoar-validator: sourceIdentifier'],
  },
  'jpcoar-doctoral': {
    severity: 'warning',
    asks: 'A doctoral thesis has its number, degree, date and grantor.',
    remedy:
      'Fill in dissertationNumber, degreeName, dateGranted and degreeGrantor: IRDB asks for them from April 2013 on, NDL collects by them.',
    sources: ['jpcoar-validator: doctoral thesis', 'IRDB: NDL'],
  },
  'jpcoar-file': {
    severity: 'warning',
    asks: 'A file (`jpcoar:URI`) has an `objectType`.',
    remedy: 'Write `objectType="fulltext"` for the full text.',
    sources: ['jpcoar-validator: file'],
  },
} as const satisfies CheckGroup;
