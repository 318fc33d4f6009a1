import type { OaiError } from './protocol.ts';

/** What several requests are refused with, a sentence each. */
export const unknownItem: OaiError = {
  code: 'idDoesNotExist',
  message: 'There is no item of this identifier; ListIdentifiers names them.',
};

export const unknownFormat: OaiError = {
  code: 'cannotDisseminateFormat',
  message: 'This is not to be had in this format; ListMetadataFormats names the formats.',
};

export const noFormats: OaiError = {
  code: 'noMetadataFormats',
  message: 'There is no metadata of this item in any format that is offered here.',
};

export const noSets: OaiError = {
  code: 'noSetHierarchy',
  message: 'This repository has no sets; leave out the argument set.',
};

export const noRecords: OaiError = {
  code: 'noRecordsMatch',
  message: 'There are no records of this kind.',
};

/** No answer can say that nothing is left: it would have to hold a record. */
export const nothingLeft: OaiError = {
  code: 'badResumptionToken',
  message: 'Nothing is left of this list; begin it again.',
};
