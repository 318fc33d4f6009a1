/** Resolvers: what they lead to is a page for people, whatever the identifier ends in. */
const resolvers: ReadonlySet<string> = new Set([
  'doi.org',
  'dx.doi.org',
  'hdl.handle.net',
  'handle.net',
  'n2t.net',
  'arks.org',
  'nbn-resolving.org',
  'nbn-resolving.de',
  'urn.fi',
  'urn.kb.se',
  'urn.nb.no',
  'persistent-identifier.nl',
  'resolver.obvsg.at',
  'hdl.loc.gov',
  'orcid.org',
  'ror.org',
  'isni.org',
  'wikidata.org',
  'creativecommons.org',
  'rightsstatements.org',
  'ci.nii.ac.jp',
  'cir.nii.ac.jp',
  'id.ndl.go.jp',
  'pubmed.ncbi.nlm.nih.gov',
]);

/** Sites whose links end in file names, and lead to pages about files or to somebody else's. */
const catalogues =
  /(?:^|\.)(?:github\.com|gitlab\.com|wikipedia\.org|wikimedia\.org|youtube\.com|youtu\.be)$/;

export function isResolver(host: string): boolean {
  return resolvers.has(host.replace(/^www\./, ''));
}

export function isCatalogue(host: string): boolean {
  return catalogues.test(host);
}
