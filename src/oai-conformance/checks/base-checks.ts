import type { CheckGroup } from './check.ts';

/** What BASE looks at in records of `oai_dc`. */
export const baseChecks = {
  'base-deletions': {
    severity: 'warning',
    asks: 'Deletions are kept: `deletedRecord` is `transient` or `persistent`.',
    remedy: 'Keep headers of what is deleted, so that aggregators can delete it too.',
    sources: ['OVAL: deletedRecord', 'BASE: deletions are flagged'],
  },
  'base-fields': {
    severity: 'warning',
    asks: 'Each record has a title, a creator, a date, a type and an identifier.',
    remedy: 'Fill in what is missing: records without them are found by nobody.',
    sources: ['OVAL: minimal Dublin Core', 'BASE: full metadata'],
  },
  'base-url': {
    severity: 'warning',
    asks: '`dc:identifier` has an http(s) address, and each record another one.',
    remedy: 'Write the address of the landing page or of the file, beside other identifiers.',
    sources: ['OVAL: dc:identifier', 'BASE: identifier', 'guidelines: oai_dc'],
  },
  'base-handle': {
    severity: 'warning',
    asks: 'No handle has the prefix 123456789, with which DSpace is delivered.',
    remedy: 'Get a prefix of your own (handle.net), and change it in all items.',
    sources: ['OVAL: DSpace handle'],
  },
  'base-language': {
    severity: 'warning',
    asks: '`dc:language` is a code of ISO 639, with two or three letters.',
    remedy: 'Write `eng` or `en`, not `English` or `en_US`.',
    sources: ['OVAL: dc:language'],
  },
  'base-date': {
    severity: 'warning',
    asks: '`dc:date` is `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or a full time (ISO 8601), or in the vocabulary info:eu-repo.',
    remedy: 'Write dates so, and other texts into `dc:description` or `dc:coverage`.',
    sources: ['OVAL: dc:date'],
  },
  'base-encoding': {
    severity: 'warning',
    asks: 'No text was encoded in UTF-8 twice (`Ã¼` in the place of `ü`).',
    remedy: 'Look for the step that takes UTF-8 for Latin-1, and correct the records.',
    sources: ['OVAL: double-encoded UTF-8'],
  },
} as const satisfies CheckGroup;
