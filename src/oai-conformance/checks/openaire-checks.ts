import type { CheckGroup } from './check.ts';

/** What OpenAIRE wants of literature: `oai_openaire` (v4), and Dublin Core in the set `openaire` (v3). */
export const openaireChecks = {
  'openaire-format': {
    severity: 'error',
    asks: '`oai_openaire` is offered in the namespace `http://namespace.openaire.eu/schema/oaire/`, or there is a set `openaire` (of data: `openaire_data`).',
    remedy: 'Offer the format of the guidelines v4 for literature.',
    sources: ['OpenAIRE: v4 use_of_oai_pmh, metadataPrefix', 'OpenAIRE: v3 use of OAI-PMH, sets'],
  },
  'openaire-title': {
    severity: 'error',
    asks: 'A record of `oai_openaire` has a title.',
    remedy: 'Write `datacite:titles` with a `datacite:title`.',
    sources: ['OpenAIRE: v4 field_title (M)'],
  },
  'openaire-creator': {
    severity: 'warning',
    asks: 'A record of `oai_openaire` has creators.',
    remedy: 'Write `datacite:creators`, where there are any (mandatory if applicable).',
    sources: ['OpenAIRE: v4 field_creator (M)'],
  },
  'openaire-issued': {
    severity: 'error',
    asks: 'A record of `oai_openaire` has exactly one date of the type `Issued`.',
    remedy: 'Write one `datacite:date dateType="Issued"` as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.',
    sources: ['OpenAIRE: v4 field_publicationdate (M)'],
  },
  'openaire-type': {
    severity: 'error',
    asks: 'A record of `oai_openaire` has a `resourceType` with the URI of a COAR type and a general type.',
    remedy:
      'Write `uri="http://purl.org/coar/resource_type/…"` and `resourceTypeGeneral` as literature, dataset, software or other research product.',
    sources: ['OpenAIRE: v4 field_publicationtype (M)'],
  },
  'openaire-identifier': {
    severity: 'error',
    asks: 'A record of `oai_openaire` has exactly one `datacite:identifier`, with a type.',
    remedy:
      'Write the handle, DOI or landing page with `identifierType` as DOI, HANDLE, URN, PURL, URL or ARK.',
    sources: ['OpenAIRE: v4 field_resourceidentifier (M)'],
  },
  'openaire-rights': {
    severity: 'error',
    asks: 'A record of `oai_openaire` has exactly one `datacite:rights` with the URI of COAR access rights.',
    remedy: 'Write `rightsURI="http://purl.org/coar/access_right/…"`, for instance `c_abf2` for open access.',
    sources: ['OpenAIRE: v4 field_accessrights (M)'],
  },
  'openaire-dc-rights': {
    severity: 'warning',
    asks: 'In the set `openaire`, one `dc:rights` says `info:eu-repo/semantics/` and `openAccess`, `embargoedAccess`, `restrictedAccess` or `closedAccess`.',
    remedy: 'Write the access level of the files beside the licence.',
    sources: ['OpenAIRE: v3 field_accesslevel (M)', 'BASE: vocabulary info-eu-repo'],
  },
  'openaire-dc-embargo': {
    severity: 'warning',
    asks: 'In the set `openaire`, embargoed access comes with `dc:date` `info:eu-repo/date/embargoEnd/YYYY-MM-DD`.',
    remedy: 'Write the day on which the embargo ends.',
    sources: ['OpenAIRE: v3 field_embargoenddate (MA)'],
  },
  'openaire-dc-type': {
    severity: 'warning',
    asks: 'In the set `openaire`, one `dc:type` is a type of `info:eu-repo/semantics/`.',
    remedy: 'Write for instance `info:eu-repo/semantics/article` as the first `dc:type`.',
    sources: ['OpenAIRE: v3 field_publicationtype (M)', 'BASE: vocabulary info-eu-repo'],
  },
  'openaire-dc-date': {
    severity: 'warning',
    asks: 'In the set `openaire`, one `dc:date` is the date of publication (ISO 8601).',
    remedy: 'Write `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.',
    sources: ['OpenAIRE: v3 field_publicationdate (M)'],
  },
  'openaire-dc-language': {
    severity: 'warning',
    asks: 'In the set `openaire`, `dc:language` is a code of ISO 639-3.',
    remedy: 'Write three letters, such as `eng`.',
    sources: ['OpenAIRE: v3 field_language (MA)'],
  },
} as const satisfies CheckGroup;
