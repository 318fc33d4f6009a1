import { hasFileEnding, isResolver } from '../../../src/core/addresses/page-address.ts';
import { type WebUrl, webUrl } from '../../../src/core/addresses/web-url.ts';
import { isRepositoryFile } from '../files/reading/link-kinds.ts';
import { isJpcoar } from '../namespaces/jpcoar.ts';
import { decodeText } from '../wire/small-document.ts';

/** The candidates of one format, best first, out of its text. */
type Rule = (text: string) => Iterable<string>;

const eprintsPage = /^https?:\/\/[^/]+\/(?:id\/eprint\/)?\d+\/?$/i;

/** EPrints has its page among the relations, and the file or a citation for its identifier. */
const identifiers: Rule = function* (text) {
  for (const { value } of values(text, 'identifier')) yield value;
  for (const { value } of values(text, 'relation')) if (eprintsPage.test(value)) yield value;
};

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['http://www.openarchives.org/OAI/2.0/oai_dc/', identifiers],
  ['http://purl.org/dc/terms/', identifiers],
  ['http://dspace.org/qualifieddc/', identifiers],
  ['http://www.bl.uk/namespaces/oai_dcq/', identifiers],
  ['http://www.ndltd.org/standards/metadata/etdms/1.0/', identifiers],
  ['http://www.ndltd.org/standards/metadata/etdms/1.1/', identifiers],
  // In version 2 dc:identifier is the file, in version 3 the page.
  ['http://www.rioxx.net/schema/v3.0/rioxx/', identifiers],
  ['http://irdb.nii.ac.jp/oai', (text) => values(text, 'URI').map(({ value }) => value)],
  ['http://ju.nii.ac.jp/junii2', (text) => values(text, 'URI').map(({ value }) => value)],
  [
    'http://naca.central.cranfield.ac.uk/ethos-oai/2.0/',
    (text) => values(text, 'isReferencedBy').map(({ value }) => value),
  ],
  ['http://www.loc.gov/mods/v3', mods],
  ['http://datacite.org/schema/kernel-3', typedIdentifiers],
  ['http://datacite.org/schema/kernel-4', typedIdentifiers],
  ['http://schema.datacite.org/oai/oai-1.0/', typedIdentifiers],
  ['http://schema.datacite.org/oai/oai-1.1/', typedIdentifiers],
  ['http://namespace.openaire.eu/schema/oaire/', typedIdentifiers],
]);

/**
 * The item's landing page as its metadata states it. Works on the text: the document is well-formed
 * already, and this runs once for each record. What it returns comes from outside and goes into links, so it
 * is an http(s) URL in plain ASCII or nothing.
 */
export function landingPage(rootNamespace: string, payload: Uint8Array | string): string | undefined {
  const rule = rules.get(rootNamespace) ?? (isJpcoar(rootNamespace) ? typedIdentifiers : undefined);
  if (rule === undefined) return undefined;
  const text =
    typeof payload === 'string'
      ? payload
      : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8');
  for (const candidate of rule(text)) {
    const url = webUrl(candidate);
    if (url !== undefined && !isFile(url)) return url.href;
  }
  return undefined;
}

interface Value {
  readonly attributes: string;
  readonly value: string;
}

const patterns = new Map<string, RegExp>();
const longestPrefix = 64;
const notInPrefix = /[\s<>:/!?]/;

/** Text and attributes of every element with this local name. */
function values(text: string, name: string): Value[] {
  const pattern = patternOf(name);
  const found: Value[] = [];
  for (let at = text.indexOf(name), from = 0; at >= 0; at = text.indexOf(name, Math.max(at + 1, from))) {
    const start = tagBefore(text, at);
    if (start < from) continue;
    pattern.lastIndex = start;
    const [whole, attributes = '', raw = ''] = pattern.exec(text) ?? [];
    if (whole === undefined) continue;
    from = start + whole.length;
    const cdata = raw.includes('<') ? /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(raw)?.[1] : undefined;
    found.push({ attributes, value: (cdata ?? decodeText(raw)).trim() });
  }
  return found;
}

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known) return known;
  const pattern = new RegExp(
    `<(?:[^\\s<>:/!?]{1,${longestPrefix}}:)?${name}(\\s[^<>]{0,2000})?>([^<]{0,4096}|\\s*<!\\[CDATA\\[[^<]{0,4096}\\]\\]>\\s*)</`,
    'y',
  );
  patterns.set(name, pattern);
  return pattern;
}

/** Where the tag begins whose local name is at `at`, or less than 0. */
function tagBefore(text: string, at: number): number {
  if (text[at - 1] === '<') return at - 1;
  if (text[at - 1] !== ':') return -1;
  let start = at - 2;
  while (start >= at - 1 - longestPrefix && !notInPrefix.test(text[start] ?? '<')) start -= 1;
  return text[start] === '<' ? start : -1;
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(attributes)?.[1];
}

/** `identifier` with an `identifierType`: JPCOAR, DataCite, OpenAIRE. */
function* typedIdentifiers(text: string): Generator<string> {
  for (const { attributes, value } of values(text, 'identifier')) {
    const type = attributeOf(attributes, 'identifierType')?.toLowerCase();
    if (type === 'doi' && /^(?:doi:\s*)?10\.\d{4,9}\//i.test(value)) {
      yield `https://doi.org/${value.replace(/^doi:\s*/i, '')}`;
    } else if (type === 'uri' || type === 'url' || type === 'hdl' || type === 'handle' || type === 'doi') {
      yield value;
    }
  }
}

function* mods(text: string): Generator<string> {
  // Pages of other works.
  const own = text.replace(
    /<(?:[^\s<>:/]+:)?relatedItem[\s>][\s\S]*?<\/(?:[^\s<>:/]+:)?relatedItem\s*>/g,
    '',
  );
  const urls = values(own, 'url');
  for (const { attributes, value } of urls) {
    if (attributeOf(attributes, 'access') === 'object in context') yield value;
  }
  for (const { attributes, value } of urls) {
    if (attributeOf(attributes, 'usage') === 'primary display') yield value;
  }
  for (const { attributes, value } of values(own, 'identifier')) {
    const type = attributeOf(attributes, 'type')?.toLowerCase();
    if (type === 'doi' && /^10\.\d{4,9}\//.test(value)) yield `https://doi.org/${value}`;
    else if (type === 'uri' || type === 'hdl' || type === 'doi') yield value;
  }
}

const filePath =
  /\/bitstreams?\/|\/download(?:s|\/|$)|\/viewFile\/|viewcontent\.cgi|\/record\/[^/]+\/files\//i;

function isFile(url: WebUrl): boolean {
  if (isResolver(url.host)) return false;
  return hasFileEnding(url.path) || filePath.test(url.path) || isRepositoryFile(url);
}
